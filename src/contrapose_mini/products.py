# ruff: noqa: E501 -- one kind of product a line, whatever its length
"""Queries to a shop, its products, and how well a product answers a query, in English and Japanese.

As for sentences the gold label comes from what is meant, never from words: an exact product is of the kind
that was asked for and has the property that was asked for, a substitute is of the same kind without it or of
the kind's sibling, a complement is bought for the product, and all else is irrelevant.  Complements share
words with the query, many exact products none.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from contrapose.base.seeds import generator
from contrapose_mini.draws import chance, choice
from contrapose_mini.words import entries, spaced

LOCALES = ("us", "jp")
# Exact, substitute, complement, irrelevant: shares of ours; the real training set has 65, 22, 3 and 10 %.
LABELS, SHARES = "ESCI", (0.45, 0.25, 0.12, 0.18)
PRODUCTS_PER_QUERY = 6
COMPLEMENTS = 0.3  # ours; of the products that are drawn, before those of other labels are thrown away

# kind sibling: English forms | Japanese forms | English complement | Japanese complement
KIND_LINES = """
lamp lantern : lamp desk_light reading_light | ランプ 卓上_ライト 電気_スタンド | replacement_bulb_for | 用_交換_電球
lantern lamp : lantern camping_light torch | ランタン 懐中電灯 ハンドライト | batteries_for | 用_電池
phone tablet : phone mobile_phone handset smartphone | 携帯_電話 スマートフォン スマホ | protective_case_for | 用_ケース
tablet phone : tablet pad slate_computer | タブレット 板型_端末 | screen_film_for | 用_保護_フィルム
camera recorder : camera photo_camera snapshot_camera | カメラ 写真機 デジカメ | tripod_for | 用_三脚
recorder camera : recorder camcorder video_recorder | 録画機 ビデオカメラ レコーダー | memory_card_for | 用_メモリー_カード
kettle pot : kettle water_boiler teakettle | やかん ケトル 湯沸かし | descaler_for | 用_洗浄剤
pot kettle : pot saucepan cooking_pot | 鍋 片手鍋 ソースパン | glass_lid_for | 用_ガラス_蓋
knife scissors : knife kitchen_blade carving_knife | 包丁 ナイフ 調理_刃物 | sharpener_for | 用_研ぎ器
scissors knife : scissors shears cutters | はさみ 裁ちばさみ カッター | sheath_for | 用_カバー
coat jacket : coat overcoat winter_coat | コート 外套 オーバー | hanger_for | 用_ハンガー
jacket coat : jacket blazer windbreaker | ジャケット 上着 ブレザー | lining_for | 用_裏地
shoes boots : shoes sneakers trainers | 靴 スニーカー 運動靴 | laces_for | 用_ひも
boots shoes : boots wellingtons high_shoes | ブーツ 長靴 雨靴 | insoles_for | 用_中敷き
bag rucksack : bag handbag tote | バッグ かばん 手提げ | shoulder_strap_for | 用_ストラップ
rucksack bag : rucksack backpack knapsack | リュック 背負い_袋 バックパック | rain_cover_for | 用_雨_カバー
chair stool : chair armchair seat | 椅子 いす チェア | cushion_for | 用_クッション
stool chair : stool footstool bar_stool | 丸椅子 スツール 踏み台 | rubber_feet_for | 用_ゴム_脚
guitar violin : guitar acoustic_guitar six_string | ギター アコギ 六弦_琴 | pick_for | 用_ピック
violin guitar : violin fiddle | バイオリン 提琴 | bow_for | 用_弓
"""
# property = English forms | Japanese forms
PROPERTY_LINES = """
red = red crimson scarlet | 赤い 真っ赤な 赤
blue = blue navy azure | 青い 紺色の 青
black = black jet-black ebony | 黒い 真っ黒な 黒
small = small compact mini | 小型の 小さい ミニ
large = large big jumbo | 大型の 大きい 特大の
light = lightweight light featherweight | 軽い 軽量の 超軽量
sturdy = sturdy robust durable | 丈夫な 頑丈な 耐久
cheap = cheap low-cost budget | 安い 格安の お買い得
children = for_children kids' for_little_ones | 子供用 キッズ 児童用
wooden = wooden timber oak | 木製の 木の 天然木
"""
BRANDS = {
    "us": "Velmora Harwick Tolsen Kestrel Brightwell Ostmark Lumora Pinehurst",
    "jp": "ベルモラ ハーウィック トルセン アオヤマ工房 ミナト堂 ヒカリ屋 ルモラ タケノ",
}
EXTRAS = {
    "us": "new_model gift_box set_of_two with_manual one_year_warranty free_shipping best_seller",
    "jp": "新型 ギフト箱入り 二個セット 説明書付き 一年保証 送料無料 人気商品",
}


@dataclass(frozen=True)
class Product:
    """What a product is: its kind, a property, and whether it is the thing that goes with that kind."""

    kind: str
    property: str
    complement: bool = False


@dataclass(frozen=True)
class Judgement:
    """A query, a product as the shop lists it, and the label E, S, C or I."""

    query: str
    title: str
    brand: str
    label: str


@lru_cache(maxsize=1)
def kinds() -> dict[str, tuple[str, dict[str, tuple[str, ...]], dict[str, str]]]:
    """Return sibling, forms by locale and complement by locale of every kind of product."""
    found = {}
    for head, rest in entries(KIND_LINES, " : "):
        kind, sibling = head.split()
        english, japanese, *complements = rest.split(" | ")
        forms = {"us": _forms(english, " "), "jp": _forms(japanese, "")}
        with_it = {"us": spaced(complements[0]), "jp": complements[1].replace("_", "")}
        found[kind] = sibling, forms, with_it
    return found


@lru_cache(maxsize=1)
def properties() -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the forms of every property by locale."""
    lines = ((key, forms.split(" | ")) for key, forms in entries(PROPERTY_LINES))
    return {key: {"us": _forms(us, " "), "jp": _forms(jp, "")} for key, (us, jp) in lines}


def _forms(text: str, link: str) -> tuple[str, ...]:
    return tuple(form.replace("_", link) for form in text.split())


def judgements(seed: int, locale: str, split: str, count: int) -> Iterator[tuple[int, Judgement]]:
    """Yield `count` judged products with the number of their query, all products of a query together.

    A function of the arguments alone.
    """
    for number in range(count):
        asked_for = generator("mini", seed, "esci", locale, split, number // PRODUCTS_PER_QUERY)
        wanted = Product(choice(asked_for, tuple(kinds())), choice(asked_for, tuple(properties())))
        query = _query(asked_for, wanted, locale)
        rng = generator("mini", seed, "esci", locale, split, "product", number)
        label = LABELS[int(rng.choice(len(LABELS), p=SHARES))]
        product = _product(rng, wanted, label)
        brand = choice(rng, BRANDS[locale].split())
        title = _title(rng, product, brand, locale)
        yield number // PRODUCTS_PER_QUERY, Judgement(query, title, brand, label)


def judged(wanted: Product, product: Product) -> str:
    """Return how well a product answers a query for another one: E, S, C or I."""
    if product.complement:
        return "C" if product.kind == wanted.kind else "I"
    if product.kind == wanted.kind:
        return "E" if product.property == wanted.property else "S"
    return "S" if product.kind == kinds()[wanted.kind][0] else "I"


def _product(rng: np.random.Generator, wanted: Product, label: str) -> Product:
    """Draw products near what is wanted until one answers the query so."""
    while True:
        kind = choice(rng, (wanted.kind, kinds()[wanted.kind][0], choice(rng, tuple(kinds()))))
        property_ = choice(rng, (wanted.property, choice(rng, tuple(properties()))))
        product = Product(kind, property_, chance(rng, COMPLEMENTS))
        if judged(wanted, product) == label:
            return product


def _query(rng: np.random.Generator, wanted: Product, locale: str) -> str:
    parts = choice(rng, properties()[wanted.property][locale]), choice(rng, kinds()[wanted.kind][1][locale])
    return " ".join(parts if chance(rng, 0.7) else parts[::-1])


def _title(rng: np.random.Generator, product: Product, brand: str, locale: str) -> str:
    _, forms, complements = kinds()[product.kind]
    name = choice(rng, forms[locale])
    if product.complement and locale == "us":
        name = f"{complements[locale]} {name}"
    elif product.complement:
        name = f"{name}{complements[locale]}"
    extra = spaced(choice(rng, EXTRAS[locale].split()))
    described = choice(rng, properties()[product.property][locale])
    if locale == "us":
        named = [f"{described} {name}", f"{name}, {described}"][int(rng.integers(2))]
        return f"{brand} {named}, {extra}".title() if chance(rng, 0.5) else f"{brand} {named} - {extra}"
    return (
        f"{brand} {described} {name} {extra}"
        if chance(rng, 0.5)
        else f"【{extra}】{brand} {name} {described}"
    )
