"""Dutch names of the emoji that people use most, as Unicode's CLDR has them: the package `emoji` has none."""

NAMES = dict(
    entry.split(" ", 1)
    for entry in """
😀 grijnzend gezicht|😃 grijnzend gezicht met grote ogen|😄 grijnzend gezicht met lachende ogen
😁 stralend gezicht met lachende ogen|😆 grijnzend gezicht met samengeknepen ogen
😅 grijnzend gezicht met zweet|🤣 rollend van het lachen|😂 gezicht met tranen van vreugde
🙂 licht glimlachend gezicht|🙃 ondersteboven gezicht|😉 knipogend gezicht
😊 glimlachend gezicht met lachende ogen|😇 glimlachend gezicht met aureool
🥰 glimlachend gezicht met hartjes|😍 glimlachend gezicht met hartogen
🤩 gezicht met sterren in de ogen|😘 gezicht dat een kus blaast
😋 gezicht dat lekker eten proeft|😜 knipogend gezicht met tong|🤪 gek gezicht
🤗 knuffelend gezicht|🤔 nadenkend gezicht|🤨 gezicht met opgetrokken wenkbrauw
😐 neutraal gezicht|😏 meesmuilend gezicht|🙄 gezicht met rollende ogen|😬 grimassend gezicht
😌 opgelucht gezicht|😔 peinzend gezicht|😴 slapend gezicht|😷 gezicht met medisch masker
🤒 gezicht met thermometer|🥳 feestend gezicht|😎 glimlachend gezicht met zonnebril
🤓 nerdgezicht|😕 verward gezicht|😟 bezorgd gezicht|🙁 licht fronsend gezicht
😮 gezicht met open mond|😲 verbaasd gezicht|😳 blozend gezicht|🥺 smekend gezicht
😢 huilend gezicht|😭 hard huilend gezicht|😱 gezicht dat schreeuwt van angst|😓 bezweet gezicht
😩 uitgeput gezicht|😫 moe gezicht|😤 gezicht met stoom uit neus|😡 rood boos gezicht
😠 boos gezicht|🤬 vloekend gezicht|💀 schedel|💩 drol|👻 spook|👽 buitenaards wezen|🤖 robot
😺 grijnzende kat|🙈 niets kwaads zien-aap|❤ rood hart|🧡 oranje hart|💛 geel hart|💚 groen hart
💙 blauw hart|💜 paars hart|🖤 zwart hart|🤍 wit hart|💔 gebroken hart|💕 twee harten
💯 honderd punten|💥 botsing|💪 aangespannen biceps|👋 zwaaiende hand|👌 oké-gebaar
✌ overwinningsgebaar|🤞 gekruiste vingers|👍 duim omhoog|👎 duim omlaag|👊 vuistslag
👏 klappende handen|🙌 omhooggestoken handen|🙏 gevouwen handen|🤝 handdruk
🤷 schouderophalend persoon|🤦 gezicht in hand|👀 ogen|👶 baby|👦 jongen|👧 meisje|👨 man|👩 vrouw
👪 gezin|🏃 rennend persoon|💃 dansende vrouw|🐶 hondengezicht|🐱 kattengezicht|🐭 muizengezicht
🐻 beer|🐝 bij|🦋 vlinder|🌹 roos|🌸 kersenbloesem|🌻 zonnebloem|🌲 naaldboom|🍀 klavertjevier
🌍 aarde met Europa en Afrika|🌞 zon met gezicht|☀ zon|🌧 wolk met regen|☁ wolk|❄ sneeuwvlok
⛄ sneeuwpop zonder sneeuw|⭐ ster|🌟 stralende ster|✨ glinsteringen|⚡ hoogspanning|🔥 vuur
🌈 regenboog|🍎 rode appel|🍌 banaan|🍓 aardbei|🍕 pizza|🍔 hamburger|🍟 friet|🍰 gebakje
🎂 verjaardagstaart|🍫 chocoladereep|☕ warme drank|🍵 theekop zonder oor|🍺 bierpul
🍻 klinkende bierpullen|🍷 wijnglas|🥂 klinkende glazen|⚽ voetbal|🏆 trofee|🎾 tennis|🚗 auto|🚌 bus
🚂 locomotief|✈ vliegtuig|🚲 fiets|🚀 raket|🏠 huis|⏰ wekker|📱 mobiele telefoon|💻 laptop|📷 camera
📚 boeken|📝 memo|📅 kalender|📌 punaise|📎 paperclip|✏ potlood|🔒 slot|🔑 sleutel|💡 gloeilamp|🔔 bel
📢 luidspreker|📧 e-mail|✉ envelop|💰 geldzak|💸 geld met vleugels|🎁 ingepakt cadeau|🎈 ballon
🎉 feestknaller|🎊 confettibal|🎄 kerstboom|🎅 kerstman|🎵 muzieknoot|🎶 muzieknoten|🎸 gitaar
🎤 microfoon|✅ witte vink op groen|✔ vinkje|❌ kruisje|❗ rood uitroepteken|❓ rood vraagteken
⚠ waarschuwing|🚫 verboden|♻ recyclingsymbool|➡ pijl-rechts|⬅ pijl-links
👉 naar rechts wijzende vinger|👈 naar links wijzende vinger|👇 naar beneden wijzende vinger
👆 naar boven wijzende vinger|🇳🇱 vlag van Nederland|🇧🇪 vlag van België|🇩🇪 vlag van Duitsland
🇫🇷 vlag van Frankrijk|🇬🇧 vlag van het Verenigd Koninkrijk|🇺🇸 vlag van de Verenigde Staten
🇪🇸 vlag van Spanje|🇮🇹 vlag van Italië|🇵🇹 vlag van Portugal|🇪🇺 vlag van de Europese Unie
☺ glimlachend gezicht|💖 sprankelend hart|💞 draaiende harten|💗 groeiend hart|💓 kloppend hart|💋 kusafdruk
""".replace("\n", "|").split("|")
    if entry
)
