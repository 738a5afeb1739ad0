"""The Japanese words of the mini world: the concepts of the English lexicon with forms of their own.

All word lists were written for this project.  As in English, the forms of a concept are synonyms by decree,
no form belongs to two concepts, and `_` joins the words of one form, as MeCab cuts them with IPADIC.
"""

# concept counter = form form ...
NOUN_LINES = """
doctor 人 = 医者 医師 ドクター 臨床_医
nurse 人 = 看護_師 ナース 看護_人
pharmacist 人 = 薬剤師 薬種_商 調剤_師
patient 人 = 患者 病人 療養_者
casualty 人 = 負傷_者 被害_者 けが人
baby 人 = 赤ん坊 乳児 新生児 ベビー
medicine 種類 = 薬 薬品 医薬品 薬剤
bandage 本 = 包帯 ガーゼ 絆創膏
musician 人 = 楽士 演奏_家 ミュージシャン
violinist 人 = バイオリニスト バイオリン_奏者 提琴_家
singer 人 = 歌手 ボーカリスト 歌い手 シンガー
drummer 人 = ドラマー 太鼓_奏者 打楽器_奏者
song 曲 = 歌 歌曲 楽曲 メロディー
waltz 曲 = ワルツ 円舞曲
audience 組 = 観客 聴衆 観衆
fan 人 = ファン 愛好_家 信奉_者
cook 人 = 料理_人 シェフ コック 調理_師
waiter 人 = 給仕 ウエーター 接客_係
soup 杯 = スープ 汁物 シチュー
cake 個 = ケーキ 洋菓子 タルト
meal 食 = 食事 料理 ごちそう
potato 個 = ジャガイモ ポテト 馬鈴薯
farmer 人 = 農民 農夫 百姓 農家
shepherd 人 = 羊_飼い 牧童 牧夫
horse 頭 = 馬 名馬 愛馬
pig 頭 = 豚 子_豚 雄_豚
cow 頭 = 牛 乳牛 雌牛
animal 匹 = 動物 生き物 獣
dog 匹 = 犬 子犬 猟犬 番犬
cat 匹 = 猫 子猫 飼い_猫
rabbit 匹 = ウサギ 野ウサギ
wolf 匹 = オオカミ 野犬
bear 頭 = 熊 ヒグマ 白熊
teacher 人 = 教師 先生 教員 講師
professor 人 = 教授 学者 碩学
pupil 人 = 生徒 学生 教え子
book 冊 = 本 書物 書籍
essay 本 = 論文 作文 小論文
report 通 = 報告_書 レポート 報告
athlete 人 = 運動_選手 スポーツマン アスリート
runner 人 = 走者 ランナー 短距離_選手
boxer 人 = ボクサー 拳闘_家
footballer 人 = サッカー_選手 ストライカー フォワード
coach 人 = コーチ 監督 指導_者
match 回 = 試合 対戦 ゲーム
race 回 = 競走 レース マラソン
trophy 個 = トロフィー 優勝_カップ メダル
driver 人 = 運転_手 ドライバー 運転_士
sailor 人 = 船員 水夫 船乗り
captain 人 = 船長 艦長 キャプテン
vehicle 台 = 乗り物 交通_機関
car 台 = 自動車 車 乗用車
ship 隻 = 船 船舶 汽船
plane 機 = 飛行機 航空機 旅客機
truck 台 = トラック 貨物_車 大型_車
bicycle 台 = 自転車 サイクル 二輪車
policeman 人 = 警官 警察官 巡査
judge 人 = 裁判官 判事 裁判_長
lawyer 人 = 弁護士 弁護_人 法律_家
thief 人 = 泥棒 強盗 盗人
prisoner 人 = 囚人 受刑_者 服役_者
jewel 個 = 宝石 宝玉 ジュエリー
purse 個 = 財布 ハンドバッグ 小銭_入れ
boss 人 = 上司 雇い主 ボス
merchant 人 = 商人 貿易_商 店主
banker 人 = 銀行_家 金融_業者 金貸し
worker 人 = 労働_者 従業_員 作業_員
customer 人 = 客 顧客 買い物_客
company 社 = 会社 企業 事業_者
shop 軒 = 店 商店 店舗
factory 軒 = 工場 製作所 製造_所
king 人 = 国王 王様 君主
mayor 人 = 市長 町長
minister 人 = 大臣 閣僚
soldier 人 = 兵士 兵隊 軍人
rebel 人 = 反逆_者 反乱_者 暴徒
citizen 人 = 市民 住民 公民
law 件 = 法律 法令 法規
tax 件 = 税金 税 租税
treaty 件 = 条約 協定 盟約
plan 件 = 計画 企画 構想
painter 人 = 画家 絵描き 洋画_家
writer 人 = 作家 小説_家 文筆_家
builder 人 = 大工 建築_業者 職人
picture 枚 = 絵 絵画 油絵
statue 体 = 彫像 彫刻 銅像
poem 編 = 詩 詩歌 韻文
house 軒 = 家 住宅 住居
bridge 本 = 橋 陸橋 石橋
church 軒 = 教会 礼拝_堂 聖堂
scientist 人 = 科学_者 研究_者 研究_員
astronomer 人 = 天文学_者 天体_観測_者
inventor 人 = 発明_家 考案_者
comet 個 = 彗星 流れ星
fossil 個 = 化石 恐竜_の_骨
machine 台 = 機械 装置 機器
person 人 = 人物 人間
man 人 = 男 男性 紳士
woman 人 = 女 女性 婦人
child 人 = 子供 児童 幼児
boy 人 = 男の子 少年 男児
girl 人 = 女の子 少女 女児
dentist 人 = 歯医者 歯科_医師
midwife 人 = 助産_師 産婆
vaccine 本 = ワクチン 予防_薬
ointment 本 = 軟膏 塗り薬
pianist 人 = ピアニスト ピアノ_奏者
guitarist 人 = ギタリスト ギター_奏者
symphony 曲 = 交響_曲 シンフォニー
hymn 曲 = 賛美_歌 聖歌
baker 人 = パン_職人 菓子_職人
bun 個 = パン 丸パン
salad 皿 = サラダ 生_野菜
steak 枚 = ステーキ 焼き肉
pizza 枚 = ピザ ピッツァ
onion 個 = タマネギ 長ネギ
sheep 頭 = 羊 子羊
goat 頭 = ヤギ 子ヤギ
chicken 羽 = ニワトリ 雌鶏
donkey 頭 = ロバ ラバ
parrot 羽 = オウム インコ
hamster 匹 = ハムスター モルモット
tiger 頭 = トラ 猛虎
fox 匹 = キツネ 雌_ギツネ
snake 匹 = ヘビ 毒蛇
letter 通 = 手紙 書簡
article 本 = 記事 コラム
diary 冊 = 日記 日誌
swimmer 人 = 水泳_選手 スイマー
cyclist 人 = 自転車_選手 サイクリスト
golfer 人 = ゴルファー ゴルフ_選手
tournament 回 = トーナメント 選手_権
pilot 人 = パイロット 操縦_士
bus 台 = バス マイクロバス
train 本 = 列車 電車
helicopter 機 = ヘリコプター ヘリ
motorcycle 台 = オートバイ 単車
detective 人 = 探偵 刑事
smuggler 人 = 密輸_業者 密売_人
pirate 人 = 海賊 バイキング
murderer 人 = 殺人_犯 暗殺_者
necklace 本 = ネックレス 首飾り
coin 枚 = 硬貨 コイン
investor 人 = 投資_家 株主
clerk 人 = 事務_員 秘書
salesperson 人 = 店員 販売_員
bank 軒 = 銀行 信用_金庫
hotel 軒 = ホテル 旅館
restaurant 軒 = レストラン 食堂
president 人 = 大統領 国家_元首
senator 人 = 上院_議員 政治_家
ambassador 人 = 大使 外交_官
protester 人 = 抗議_者 活動_家
refugee 人 = 難民 避難_民
voter 人 = 有権_者 投票_者
budget 件 = 予算 予算_案
reform 件 = 改革 改正
ban 件 = 禁止_令 禁令
sculptor 人 = 彫刻_家 彫物_師
photographer 人 = 写真_家 カメラマン
journalist 人 = 記者 ジャーナリスト
poet 人 = 詩人 歌人
novel 冊 = 小説 物語
photograph 枚 = 写真 スナップ
vase 個 = 花瓶 壺
castle 軒 = 城 宮殿
tower 基 = 塔 タワー
museum 軒 = 博物館 美術館
library 軒 = 図書館 文庫
biologist 人 = 生物_学者 博物_学者
engineer 人 = 技術_者 エンジニア
physicist 人 = 物理_学者 理論_家
planet 個 = 惑星 天体
virus 種類 = ウイルス 細菌
robot 台 = ロボット 人造_人間
neighbour 人 = 隣人 ご_近所_さん
tourist 人 = 観光_客 旅行_者
teenager 人 = ティーンエージャー 青少年
orphan 人 = 孤児 みなしご
"""

# relation : verbs | converse verbs | noun for the event
# A verb is stem/row: a row of the syllabary for the five-step verbs, る for the one-step ones, する.  In
# front of it stands its particle, where it is not を.  A converse verb says the same with exchanged roles.
# `marry ` has its space and its direction from the English lexicon, where it is not symmetric.
RELATION_LINES = """
treat : 治療/する 診察/する 手当て/する |  | 治療
examine : 検査/する 調べ/る 点検/する |  | 検査
deliver : 届け/る 配達/する 運搬/する |  | 配達
perform : 演奏/する 奏で/る 披露/する |  | 演奏
compose : 作曲/する 創作/する 書き上げ/る |  | 創作
delight : 喜ば/サ 感動_さ_せ/る 魅了/する | 楽し/マ 満喫/する |
cook : 調理/する 料理/する 煮込/マ |  | 調理
eat : 食べ/る 味わ/ワ 平らげ/る |  |
cut : 切/ラ 刻/マ 切り分け/る |  |
feed : 養/ワ 飼育/する 飼/ワ |  | 飼育
wash : 洗/ワ 洗浄/する 洗い流/サ |  | 洗浄
chase : 追いかけ/る 追跡/する 追い回/サ | から:逃げ/る から:逃走/する | 追跡
frighten : 怖がら_せ/る 脅/サ 脅か/サ | 怖が/ラ 恐れ/る |
teach : 教え/る 教育/する 指導/する | から:学/バ から:教わ/ラ | 指導
praise : ほめ/る 称賛/する たたえ/る |  | 称賛
criticise : 批判/する 非難/する 責め/る |  | 批判
read : 読/マ 閲覧/する 熟読/する |  |
write : 書/カ 執筆/する 著/サ |  | 執筆
defeat : 倒/サ 破/ラ 撃破/する | に:敗れ/る に:負け/る に:屈/サ | 撃破
win : 勝ち取/ラ 獲得/する 制/サ |  | 獲得
drive : 運転/する 操縦/する 操/ラ |  | 運転
repair : 修理/する 直/サ 修繕/する |  | 修理
damage : 傷つけ/る 損壊/する 壊/サ |  | 損壊
follow : 尾行/する つけ回/サ 追尾/する | 導/カ 先導/する | 尾行
arrest : 逮捕/する 捕まえ/る 拘束/する |  | 逮捕
release : 釈放/する 解放/する 放免/する |  | 釈放
steal : 盗/マ 奪/ワ 窃取/する |  |
accuse : 告発/する 訴え/る 起訴/する |  | 告発
defend : 守/ラ 擁護/する 弁護/する | に:頼/ラ に:依存/する | 擁護
employ : 雇/ワ 採用/する 雇用/する | に:勤め/る に:仕え/る | 採用
dismiss : 解雇/する 免職/する 首_に/する |  | 解雇
buy : 買/ワ 購入/する 買い取/ラ |  | 購入
sell : 売/ラ 売却/する 手放/サ |  | 売却
open : 設立/する 開業/する 立ち_上げ/る |  | 設立
close : 閉鎖/する 閉め/る 廃業_さ_せ/る |  | 閉鎖
support : 支持/する 支え/る 後押し/する |  | 支持
oppose : に:反対/する に:抵抗/する に:逆ら/ワ |  |
approve : 承認/する 認め/る 可決/する |  | 承認
reject : 拒否/する 却下/する 退け/る |  | 拒否
attack : 攻撃/する 襲/ワ 襲撃/する |  | 攻撃
rescue : 救助/する 救/ワ 救い出/サ |  | 救助
meet : に:会/ワ に:出会/ワ と:面会/する | に:会/ワ に:出会/ワ と:面会/する |
marry  : と:結婚/する と:結ば_れ/る | と:結婚/する と:結ば_れ/る |
paint : 描/カ 描写/する スケッチ/する |  | 描写
build : 建て/る 建設/する 築/カ |  | 建設
destroy : 破壊/する 打ち壊/サ 取り壊/サ |  | 破壊
discover : 発見/する 見つけ/る 探し当て/る |  | 発見
hug : 抱きしめ/る 抱擁/する 抱/カ |  |
watch : 眺め/る 観察/する 見守/ラ |  | 観察
carry : 運/バ 担/ガ 持ち運/バ |  |
help : 助け/る 手伝/ワ 援助/する | に:助け_を_求め/る に:すが/ラ | 援助
"""

PLACE_LINES = """
park = 公園_で 庭園_で 緑地_で
street = 通り_で 道路_で 路上_で
market = 市場_で バザー_で 朝市_で
station = 駅_で 停留所_で ターミナル_で
harbour = 港_で 波止場_で 埠頭_の_近く_で
village = 村_で 集落_で 農村_で
beach = 浜辺_で 海岸_で 海辺_で
forest = 森_で 林_の_中_で 森林_で
square = 広場_で 町_の_中心_で 中心_街_で
river = 川辺_で 小川_の_そば_で 川岸_で
field = 野原_で 草地_で 牧草_地_で
yard = 中庭_で 裏庭_で 建物_の_裏_で
hill = 丘_の_上_で 坂_の_上_で 高台_で
hospital = 病院_で 診療_所_で クリニック_で
hall = ホール_で 講堂_で 集会_室_で
prison = 刑務所_で 監獄_で 鉄格子_の_中_で
velmora = ベルモラ_で 首都_で
harwick = ハーウィック_で 北_の_港町_で
tolsen = トルセン_で 古い_鉱山_町_で
stalwin = 聖_ルカ_で 大_聖堂_の_町_で
america = アメリカ_で 米国_で 合衆国_で
quarrel = 口論_横丁_で 商店_街_で
valley = 谷_で 渓谷_で
island = 島_で 小島_で
airport = 空港_で 滑走_路_で
stadium = 競技_場_で スタジアム_で
theatre = 劇場_で 舞台_で
cellar = 地下_室_で 地下_で
garden = 庭_で 果樹_園_で
desert = 砂漠_で 荒れ地_で
border = 国境_で 国境_付近_で
corner = 街角_で 交差_点_で
brenholt = ブレンホルト_で 大学_町_で
castera = カステラ市_で 国境_の_町_で
france = フランス_で パリ_で
china = 中国_で 北京_で
egypt = エジプト_で カイロ_で
brazil = ブラジル_で アマゾン_で
"""

TIME_LINES = """
morning = 朝_に 明け方_に 早朝_に
evening = 夕方_に 日暮れ_に 夕暮れ_に
night = 夜_に 深夜_に 真夜中_に
noon = 正午_に 昼_に 十_二_時_に
winter = 冬_に 寒い_季節_に 一月_に
summer = 夏_に 暑い_季節_に 七月_に
weekend = 週末_に 土曜日_に
workday = 平日_に 火曜日_に
war = 戦争_中_に 戦時_中_に
holiday = 休暇_中_に 祝日_に 連休_に
"""

MANNER_LINES = """
quickly = 素早く 急い_で 迅速_に
slowly = ゆっくり 徐々に 慌て_ず_に
carefully = 慎重_に 注意深く 念入り_に
secretly = こっそり 密か_に 内緒_で
publicly = 公然_と 人前_で 堂々_と
freely = 無料_で ただ_で 無償_で
again = 再び もう一度 またもや
accidentally = 偶然 うっかり 誤っ_て
"""

# attributes of people and animals, then of things
LIVING_ATTRIBUTE_LINES = """
old = 年老い_た 高齢_の 年_を_取っ_た
young = 若い 若々しい 年_若い
famous = 有名_な 名高い 著名_な
rich = 裕福_な 金持ち_の 豊か_な
poor = 貧しい 貧乏_な 困窮_し_た
tired = 疲れ_た 疲れ_切っ_た くたびれ_た
angry = 怒っ_た 激怒_し_た 腹_を_立て_た
foreign = 外国_の 海外_の 異国_の
"""
THING_ATTRIBUTE_LINES = """
large = 大きな 大きい 巨大_な
small = 小さな 小さい ちっぽけ_な
new = 新しい 真新しい 最新_の
ancient = 古代_の 由緒_ある 大昔_の
red = 赤い 真っ赤_な 赤色_の
expensive = 高価_な 値段_の_高い 高額_な
broken = 壊れ_た 故障_し_た 欠陥_の_ある
beautiful = 美しい きれい_な 見事_な
"""

# {} is the noun's counter
COUNT_FORMS = {
    2: ("2 {} の", "二 {} の"), 3: ("3 {} の", "三 {} の"), 4: ("4 {} の", "四 {} の"),
    5: ("5 {} の", "五 {} の"), 6: ("6 {} の", "六 {} の"), 7: ("7 {} の", "七 {} の"),
    8: ("8 {} の", "八 {} の"), 10: ("10 {} の", "十 {} の"), 12: ("12 {} の", "十 二 {} の"),
    20: ("20 {} の", "二 十 {} の"), 50: ("50 {} の", "五 十 {} の"), 100: ("100 {} の", "百 {} の"),
    9: ("多く の", "たくさん の", "大量 の"),
}  # fmt: skip

SURNAME_WORDS = """
Keller=ケラー Moreau=モロー Okafor=オカフォー Lindqvist=リンドクビスト Tanaka=田中 Rossi=ロッシ
Novak=ノバク Haddad=ハダド Byrne=バーン Castillo=カスティーヨ Petrov=ペトロフ Larsen=ラーセン
Whitmore=ホイットモア Adeyemi=アデイェミ Kowalski=コワルスキ Fischer=フィッシャー
Almeida=アルメイダ Bauer=バウアー
Carter=カーター Dubois=デュボワ Eriksen=エリクセン Ferraro=フェラーロ Gupta=グプタ Hansen=ハンセン
Ibarra=イバラ Jensen=イェンセン Kimura=木村 Lopez=ロペス Mwangi=ムワンギ Nakamura=中村
Osman=オスマン Papadakis=パパダキス Quinn=クイン Ramirez=ラミレス Sato=佐藤 Thompson=トンプソン
Ulrich=ウルリッヒ Vargas=バルガス Wagner=ワーグナー Yilmaz=イルマズ Zhukov=ジューコフ Andersson=アンデルソン
Brennan=ブレナン Costa=コスタ Delgado=デルガド Evans=エバンス Farouk=ファルーク Greco=グレコ
"""

# What stands before a sentence or behind it and adds nothing.
LEADS = (
    "実際 、", "事実 、", "もちろん 、", "結局 、", "周知 の よう に 、", "記録 に よる と 、",
    "地元 の 新聞 に よる と 、", "目撃 者 に よる と 、",
)  # fmt: skip
REPORTS = ("と いう", "と 言わ れ て いる", "と 伝え られ て いる", "と の こと だ", "と さ れ て いる")
CONNECTIVES = ("が 、", "一方 、", "ほか 、", "と 同時に 、")
