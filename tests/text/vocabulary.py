"""A small vocabulary for the tests, trained once a session: one sentencepiece model, in both file formats.

Loaded by path (`runpy`), for the tests of two folders share it and the tests are no package.
"""

import ast
import re
import sys
import sysconfig
from pathlib import Path

import sentencepiece
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

N_PIECES = 3000
_MODULES = """_pydecimal argparse asyncio/tasks calendar codecs contextlib doctest email/message inspect logging/__init__
    optparse pickle random shutil socket statistics string subprocess tempfile textwrap threading turtle typing"""

SENTENCES = {
    "en": """Dr. Smith met the committee on Tuesday, and nobody was surprised. It was raining when we left the house.
        "Are you sure?" she asked, but he did not answer. The train leaves at 7:46 from platform three.
        In the spring of 1990 they moved to a small town near the sea; the children loved it. Don't worry, it's fine.
        We had bread, cheese and two apples. Why would anyone do that? I have never seen such a beautiful garden!
        The price went from 19.99 to 24.50 in a week. Please read the following chapters aloud: one, two and three.""",
    "fr": """Il est parti hier soir, mais personne ne l'a vu. L’eau d’abord, c’est 80 % du corps. Où êtes-vous allés ?
        Les enfants jouaient dans le jardin pendant que leur mère lisait un livre. Ça fait longtemps que je t'attends.
        M. Dupont a payé douze euros cinquante pour le déjeuner. « Bonjour », dit-elle en souriant. Quelle journée !
        Le train de 14h30 aura du retard : il faudra patienter. Nous avons mangé du pain, du fromage et des pommes.""",
    "de": """Das kostet 1.234,56 Euro, wenn man alles zusammenrechnet. Am 3. Oktober wird gefeiert, z. B. in Berlin.
        Die Kinder spielten im Garten, während ihre Mutter ein Buch las. Wo bist du gewesen? Das ist aber schön!
        Dr. Müller wohnt in der Hauptstraße und fährt jeden Morgen mit dem Fahrrad zur Arbeit. Ich weiß es nicht.
        „Guten Tag“, sagte sie und lächelte. Der größte Fluss der Gegend fließt durch mehrere kleine Städte.""",
    "it": """Costa un milione e duecentomila euro, ma non è una cifra tonda. Dove sei stato? Che bella giornata!
        I bambini giocavano in giardino mentre la madre leggeva un libro. L'acqua è fredda, però l'aria è calda.
        Il 2 giugno 1946 gli italiani votarono per la repubblica. Perché non me l'hai detto prima? È già tardi.""",
    "es": """¿Dónde has estado? ¡Qué día tan bonito! Cuesta 3,75 € el kilo, un veintiuno por ciento más que ayer.
        Los niños jugaban en el jardín mientras su madre leía un libro. El siglo veintiuno empezó con mucha ilusión.
        El señor García llegó tarde, pero nadie dijo nada. Mañana iremos a la montaña, aunque llueva todo el día.""",
    "pt": """São mil e quinhentos quilômetros em duas horas, o que é impossível. Onde você esteve? Que dia bonito!
        As crianças brincavam no jardim enquanto a mãe lia um livro. Não sei se amanhã vai chover, mas levo o casaco.
        Em 1822, D. Pedro I proclamou a independência. O coração tem razões que a própria razão desconhece.""",
    "nl": """Het kost € 12,50 op vijf december, d.w.z. vóór het feest. Waar ben je geweest? Wat een mooie dag!
        De kinderen speelden in de tuin terwijl hun moeder een boek las. Om half negen vertrekt de trein naar 's-Gravenhage.
        Mijnheer de Vries kwam te laat, maar niemand zei er iets van. Ik weet het niet, zei hij zachtjes.""",
}


def _docstrings() -> str:
    library = Path(sysconfig.get_paths()["stdlib"])
    texts = []
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    files = [library / f"{name}.py" for name in _MODULES.split()]
    for file in filter(Path.is_file, files):  # the library's layout differs between versions of Python
        tree = ast.parse(file.read_text(encoding="utf-8"))
        texts += [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, kinds)]
    return "\n\n".join(texts)


def _corpus() -> list[str]:
    plain = re.sub(r"[^A-Za-z0-9',.?!;:()\"\-\n ]+", " ", _docstrings())
    lines = [re.sub(r"\s+", " ", paragraph).strip()[:400] for paragraph in plain.split("\n\n")]
    embedded = [re.sub(r"\s+", " ", text) for text in SENTENCES.values()]
    return [line for line in lines if len(line.split()) > 4] + embedded * 20


def write_tokenizers(folder: Path) -> tuple[Path, Path]:
    """Writes tokenizer.model and tokenizer.json with the same N_PIECES pieces into `folder`."""
    prefix = folder / "tokenizer"
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(_corpus()),
        model_prefix=str(prefix),
        vocab_size=N_PIECES,
        model_type="unigram",
        byte_fallback=True,
        character_coverage=1.0,
        normalization_rule_name="nfkc",
        num_threads=1,
        num_sub_iterations=1,
        minloglevel=2,
    )
    pieces = sentencepiece.SentencePieceProcessor(f"{prefix}.model")
    vocabulary = [(pieces.id_to_piece(i), pieces.get_score(i)) for i in range(pieces.vocab_size())]
    _hugging_face(vocabulary, pieces.unk_id()).save(f"{prefix}.json")
    return prefix.with_suffix(".model"), prefix.with_suffix(".json")


def _hugging_face(vocabulary: list[tuple[str, float]], unk_id: int) -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=unk_id, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.decoder = decoders.Sequence(
        [decoders.ByteFallback(), decoders.Metaspace(prepend_scheme="always"), decoders.Fuse()]
    )
    return tokenizer


if __name__ == "__main__":
    print(write_tokenizers(Path(sys.argv[1])))
