"""What is written for currencies, in every language; a language that has no name for one leaves its sign alone."""

CURRENCY_SIGNS = {
    "$": "USD", "US$": "US$", "USD": "US$", "CA$": "CAD", "C$": "CAD", "CAD": "CAD", "A$": "AUD", "AU$": "AUD", "AUD": "AUD",
    "NZ$": "NZD", "NZD": "NZD",
    "HK$": "HKD", "HKD": "HKD", "€": "EUR", "EUR": "EUR", "£": "GBP", "GBP": "GBP", "¥": "JPY", "JPY": "JPY", "CNY": "CNY",
    "RMB": "CNY", "₹": "INR",
    "INR": "INR", "Rs": "INR", "₩": "KRW", "KRW": "KRW", "R$": "BRL", "BRL": "BRL", "₽": "RUB", "RUB": "RUB", "₺": "TRY",
    "TRY": "TRY", "₴": "UAH",
    "UAH": "UAH", "₿": "BTC", "BTC": "BTC", "CHF": "CHF", "SFr": "CHF", "kr": "SEK", "SEK": "SEK", "NOK": "NOK",
    "DKK": "DKK", "zł": "PLN",
    "PLN": "PLN", "Kč": "CZK", "CZK": "CZK", "₪": "ILS", "ILS": "ILS", "MXN": "MXN", "ARS": "ARS", "CLP": "CLP",
    "COP": "COP", "PEN": "PEN", "S/": "PEN",
    "₫": "VND", "₱": "PHP", "฿": "THB", "₦": "NGN", "DM": "DEM", "₧": "ESP", "ptas": "ESP", "ct": "CENT", "¢": "CENT",
    "SGD": "SGD", "ZAR": "ZAR", "HUF": "HUF",
    "nio": "NIO", "pab": "PAB", "₡": "CRC0", "crc": "CRC", "ttd": "TTD", "fr": "FRF", "mk": "MARK", "gtq": "GTQ", "q": "GTQ",
    "awg": "AWG", "kn": "HRK", "Lit": "ITL",
}  # fmt: skip
