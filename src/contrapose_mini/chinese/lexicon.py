"""The Chinese words of the mini world: the concepts of the English lexicon with forms of their own.

All word lists were written for this project.  As in English, the forms of a concept are synonyms by decree
and no form belongs to two concepts.  Written in simplified characters, a word of several without spaces.
"""

# concept measure-word = form form ...
NOUN_LINES = """
doctor 位 = 医生 大夫 医师 郎中
nurse 位 = 护士 护理员 看护
pharmacist 位 = 药剂师 药师 配药员
patient 位 = 病人 患者 病号
casualty 名 = 伤员 受害者 伤者
baby 个 = 婴儿 宝宝 新生儿 娃娃
medicine 种 = 药品 药物 良药
bandage 卷 = 绷带 纱布 敷料
musician 位 = 音乐家 乐师 演奏家
violinist 位 = 小提琴手 提琴师
singer 位 = 歌手 歌唱家 歌星 唱将
drummer 位 = 鼓手 击鼓者
song 首 = 歌曲 曲子 小调
waltz 支 = 华尔兹 圆舞曲
audience 批 = 观众 听众 看客
fan 名 = 粉丝 歌迷 追随者
cook 名 = 厨师 大厨 厨子
waiter 名 = 服务员 侍者 跑堂
soup 碗 = 浓汤 羹汤 肉汤
cake 块 = 蛋糕 糕点 甜糕
meal 顿 = 饭菜 餐食 伙食
potato 个 = 土豆 马铃薯 洋芋
farmer 位 = 农民 农夫 庄稼汉
shepherd 位 = 牧羊人 牧民 羊倌
horse 匹 = 骏马 马儿 坐骑
pig 头 = 肥猪 猪仔 家猪
cow 头 = 奶牛 母牛 黄牛
animal 只 = 动物 走兽 生灵
dog 只 = 小狗 狗狗 犬只
cat 只 = 小猫 猫咪 家猫
rabbit 只 = 兔子 野兔 小兔
wolf 只 = 野狼 灰狼 恶狼
bear 头 = 棕熊 黑熊 大熊
teacher 位 = 老师 教师 教员
professor 位 = 教授 学者 导师
pupil 名 = 学生 学员 弟子
book 本 = 书籍 图书 书本
essay 篇 = 论文 作文 文章
report 份 = 报告 通报 简报
athlete 名 = 运动员 选手 体育健将
runner 名 = 短跑手 跑步者 飞毛腿
boxer 名 = 拳击手 拳手 拳师
footballer 名 = 球员 前锋 踢球的
coach 位 = 教练 领队 主帅
match 场 = 比赛 赛事 较量
race 场 = 马拉松 长跑 竞速赛
trophy 座 = 奖杯 金杯 锦标
driver 位 = 司机 驾驶员 车夫
sailor 名 = 水手 海员 船员
captain 位 = 船长 船老大 舰长
vehicle 种 = 交通工具 代步工具
car 辆 = 汽车 轿车 小车
ship 艘 = 轮船 船只 船舶
plane 架 = 飞机 客机 班机
truck 辆 = 卡车 货车 大货
bicycle 辆 = 自行车 单车 脚踏车
policeman 名 = 警察 民警 警员
judge 位 = 法官 审判员 推事
lawyer 位 = 律师 讼师 法律顾问
thief 名 = 小偷 盗贼 窃贼 扒手
prisoner 名 = 囚犯 犯人 在押者
jewel 颗 = 宝石 珠宝 玉石
purse 个 = 钱包 手袋 皮夹
boss 位 = 老板 东家 上司
merchant 位 = 商人 生意人 买卖人
banker 位 = 银行家 金融家 放款人
worker 名 = 工人 职工 雇员
customer 位 = 顾客 客户 买主
company 家 = 公司 企业 商行
shop 家 = 商店 店铺 铺子
factory 家 = 工厂 厂子 作坊
king 位 = 国王 君主 君王
mayor 位 = 市长 市政长官
minister 位 = 部长 大臣 阁员
soldier 名 = 士兵 战士 军人
rebel 名 = 叛军 起义者 反叛者
citizen 名 = 公民 市民 居民
law 部 = 法律 法规 法令
tax 项 = 税收 赋税 税款
treaty 份 = 条约 协定 盟约
plan 项 = 计划 方案 规划
painter 位 = 画家 画师 丹青手
writer 位 = 作家 作者 小说家
builder 名 = 建筑工 泥瓦匠 石匠
picture 幅 = 油画 画作 图画
statue 座 = 雕像 雕塑 塑像
poem 首 = 诗歌 诗篇 诗作
house 栋 = 房子 住宅 屋子
bridge 座 = 大桥 桥梁 石桥
church 座 = 教堂 礼拜堂
scientist 位 = 科学家 研究员 科研人员
astronomer 位 = 天文学家 观星者
inventor 位 = 发明家 发明者
comet 颗 = 彗星 扫帚星 流星
fossil 块 = 化石 古生物遗骸
machine 台 = 机器 仪器 设备
person 个 = 人士 人物
man 个 = 男人 男子 男士 小伙子
woman 个 = 女人 女子 女士
child 个 = 孩子 小孩 儿童
boy 个 = 男孩 少年 男娃
girl 个 = 女孩 少女 姑娘
dentist 位 = 牙医 牙科大夫
midwife 位 = 助产士 接生婆
vaccine 种 = 疫苗 预防针
ointment 种 = 药膏 软膏
pianist 位 = 钢琴家 钢琴师
guitarist 位 = 吉他手 弹吉他的
symphony 首 = 交响曲 交响乐
hymn 首 = 赞美诗 圣歌
baker 位 = 面包师 烘焙师
bun 个 = 面包 餐包
salad 份 = 沙拉 凉拌菜
steak 块 = 牛排 肉排
pizza 个 = 比萨 披萨
onion 个 = 洋葱 葱头
sheep 只 = 绵羊 羊羔
goat 只 = 山羊 奶羊
chicken 只 = 母鸡 公鸡
donkey 头 = 驴子 骡子 毛驴
parrot 只 = 鹦鹉 鹦哥
hamster 只 = 仓鼠 豚鼠
tiger 只 = 老虎 猛虎
fox 只 = 狐狸 赤狐
snake 条 = 毒蛇 蟒蛇
letter 封 = 信件 书信
article 篇 = 专栏 社论
diary 本 = 日记 日志
swimmer 名 = 游泳健将 泳将
cyclist 名 = 自行车手 骑手
golfer 名 = 高尔夫球手 打高尔夫的
tournament 场 = 锦标赛 联赛
pilot 位 = 飞行员 机长
bus 辆 = 公交车 巴士
train 列 = 火车 列车
helicopter 架 = 直升机 直升飞机
motorcycle 辆 = 摩托车 摩托
detective 位 = 侦探 探员
smuggler 名 = 走私犯 走私者
pirate 名 = 海盗 海贼
murderer 名 = 杀人犯 凶手 刺客
necklace 条 = 项链 吊坠
coin 枚 = 硬币 钱币
investor 位 = 投资者 股东
clerk 名 = 文员 秘书
salesperson 名 = 售货员 推销员
bank 家 = 银行 钱庄
hotel 家 = 旅馆 酒店 宾馆
restaurant 家 = 餐馆 饭店
president 位 = 总统 国家元首
senator 位 = 参议员 议员
ambassador 位 = 大使 外交官
protester 名 = 抗议者 示威者
refugee 名 = 难民 流民
voter 名 = 选民 投票人
budget 项 = 预算 财政案
reform 项 = 改革 革新
ban 项 = 禁令 封锁令
sculptor 位 = 雕塑家 雕刻家
photographer 位 = 摄影师 摄影家
journalist 位 = 记者 新闻工作者
poet 位 = 诗人 吟游者
novel 部 = 长篇小说 故事书
photograph 张 = 照片 相片
vase 只 = 花瓶 陶罐
castle 座 = 城堡 宫殿
tower 座 = 高塔 塔楼
museum 座 = 博物馆 美术馆
library 座 = 图书馆 藏书楼
biologist 位 = 生物学家 博物学家
engineer 位 = 工程师 技师
physicist 位 = 物理学家 物理学者
planet 颗 = 行星 天体
virus 种 = 病毒 细菌 病菌
robot 台 = 机器人 智能人
neighbour 个 = 邻居 街坊
tourist 个 = 游客 旅客
teenager 个 = 青少年 半大孩子
orphan 个 = 孤儿 弃儿
"""

# relation : verbs | converse verbs | noun for the event | verbs that name a result
# `~` is where the object stands, behind the verb where there is none.  A converse verb says the same with the
# roles' places exchanged; verbs that name a result stand with 把 and 被 only, and not in the progressive.
# `marry ` has its space and its direction from the English lexicon, where it is not symmetric.
RELATION_LINES = """
treat : 治疗 医治 诊治 照料 | 在~那里看病 | 诊疗 | 治好 医好
examine : 检查 察看 查看 | | 体检 | 查验一遍
deliver : 运送 递送 提供 | | | 送来 送到
perform : 演奏 表演 演绎 弹奏 | | |
compose : 创作 谱写 构思 | | | 谱成
delight : 取悦 打动 吸引 | 喜欢 欣赏 喜爱 | | 逗乐
cook : 烹饪 烹制 烧制 | | | 做好 煮好
eat : 吃 品尝 食用 享用 | | | 吃光 吃完
cut : 切 切割 切分 | | | 切开 切碎
feed : 喂 喂养 饲养 | 从~手里吃食 | 喂食 | 喂饱
wash : 清洗 擦洗 冲洗 | | 清洁 | 洗净 洗干净
chase : 追赶 追逐 追捕 | 躲避 逃离 | 追击 |
frighten : 惊吓 恐吓 吓唬 | 害怕 惧怕 畏惧 | | 吓坏 吓到
teach : 教导 教育 指导 | 向~学习 跟~上课 | 辅导 | 教会
praise : 表扬 赞扬 夸奖 称赞 | | 表彰 |
criticise : 批评 责备 指责 训斥 | | 批判 |
read : 阅读 翻阅 浏览 | | | 读完 看完
write : 撰写 书写 起草 | | | 写好 写完
defeat : 击败 战胜 打败 | 输给 败给 | |
win : 赢得 夺得 获得 | | | 收入囊中
drive : 驾驶 操纵 驾驭 | | | 开走
repair : 修理 维修 检修 | | 抢修 | 修好
damage : 损坏 破坏 毁损 | | | 弄坏 砸坏
follow : 跟踪 尾随 跟随 | 带领 引领 | |
arrest : 逮捕 拘捕 捉拿 | | 抓捕 | 抓住 抓获
release : 释放 开释 赦免 | | | 放走 放掉
steal : 偷窃 盗窃 窃取 | | | 偷走 盗走
accuse : 控告 指控 起诉 | | | 告上法庭
defend : 保护 维护 捍卫 | 依靠 仰仗 | |
employ : 雇用 聘用 录用 | 替~干活 为~工作 | |
dismiss : 解雇 辞退 开除 | | | 炒掉
buy : 购买 收购 购置 | | 采购 | 买下 买走
sell : 出售 出让 变卖 | | | 卖掉 卖出
open : 开办 创办 创建 | | | 办起来
close : 关闭 停办 裁撤 | | | 关掉
support : 支持 拥护 赞成 | | |
oppose : 反对 抵制 抗议 | | |
approve : 批准 通过 核准 | | 审批 | 签署生效
reject : 否决 拒绝 驳回 | | |
attack : 攻击 袭击 进攻 | | 突袭 | 打伤
rescue : 营救 救援 搭救 | | 抢救 | 救出来
meet : 会见 遇见 碰见 和~见面 | 会见 遇见 碰见 和~见面 | |
marry  : 迎娶 娶走 | 嫁给 下嫁给 | |
paint : 描绘 勾画 绘制 | | 写生 | 画下来
build : 建造 修建 搭建 | | | 盖好 建成
destroy : 摧毁 拆毁 毁掉 | | | 拆掉 夷为平地
discover : 发现 寻获 探测 | | |
hug : 拥抱 搂抱 怀抱 | | | 抱住 搂住
watch : 观看 观察 注视 | | |
carry : 搬运 背负 运载 | | | 搬走 扛走
help : 帮助 协助 援助 | 向~求助 找~帮忙 | 帮扶 |
"""

# key = form form ...; the preposition is part of the form
PLACE_LINES = """
park = 在公园里 在花园里 在绿地上
street = 在街上 在马路上 在大道边
market = 在市场上 在集市上 在菜场里
station = 在车站里 在站台上 在候车室
harbour = 在港口 在码头 在船坞边
village = 在村子里 在乡下 在村庄里
beach = 在海滩上 在沙滩上 在海边
forest = 在森林里 在树林里 在林子里
square = 在广场上 在市中心 在镇中心
river = 在河边 在小溪旁 在河岸上
field = 在田野里 在草地上 在牧场上
yard = 在院子里 在后院 在屋后
hill = 在山上 在山坡上 在小丘上
hospital = 在医院里 在诊所里 在病房里
hall = 在大厅里 在礼堂里 在会堂里
prison = 在监狱里 在牢房里 在铁窗后
velmora = 在维尔莫拉 在首都 在京城
harwick = 在哈维克 在北方港城 在北边的港市
tolsen = 在托尔森 在老矿城 在旧矿镇
stalwin = 在圣阿尔文 在主教城
america = 在美国 在USA 在美利坚
quarrel = 在口角巷 在购物区 在商业街
valley = 在山谷里 在峡谷里
island = 在岛上 在小岛上
airport = 在机场 在跑道上
stadium = 在体育场里 在竞技场里
theatre = 在剧院里 在舞台上
cellar = 在地窖里 在地下室
garden = 在果园里 在菜园里
desert = 在沙漠里 在荒地上
border = 在边境 在国境线上
corner = 在街角 在十字路口
brenholt = 在布伦霍尔特 在大学城
castera = 在卡斯特拉 在边塞城
france = 在法国 在巴黎
china = 在中国 在北京
egypt = 在埃及 在开罗
brazil = 在巴西 在亚马孙
"""

TIME_LINES = """
morning = 早上 清晨 黎明时分
evening = 傍晚 黄昏时 日落时
night = 夜里 深夜 半夜
noon = 中午 正午 十二点
winter = 冬天 冬季 一月份
summer = 夏天 夏季 七月份
weekend = 周末 星期六 双休日
workday = 工作日 星期二 上班的日子
war = 战争期间 战时 打仗那会儿
holiday = 假期里 节日期间 放假时
"""

MANNER_LINES = """
quickly = 迅速地 飞快地 很快地
slowly = 慢慢地 缓缓地 不慌不忙地
carefully = 小心地 仔细地 认真地
secretly = 偷偷地 暗中 秘密地
publicly = 公开地 当众 光明正大地
freely = 免费 无偿地 不收钱地
again = 再次 又一次 再一次
accidentally = 意外地 无意中 误打误撞地
"""

# attributes of people and animals, then of things
LIVING_ATTRIBUTE_LINES = """
old = 年老的 年迈的 上了年纪的
young = 年轻的 年少的
famous = 著名的 有名的 知名的
rich = 富有的 有钱的 阔绰的
poor = 贫穷的 穷困的 拮据的
tired = 疲惫的 劳累的 精疲力竭的
angry = 愤怒的 生气的 恼火的
foreign = 外国的 国外的 异国的
"""
THING_ATTRIBUTE_LINES = """
large = 巨大的 很大的 庞大的
small = 小小的 微小的 很小的
new = 崭新的 全新的 新式的
ancient = 古老的 古代的 历史悠久的
red = 红色的 鲜红的 深红的
expensive = 昂贵的 贵重的 高价的
broken = 破损的 坏了的 有毛病的
beautiful = 漂亮的 美丽的 好看的
"""

# {} is the noun's measure word
COUNT_FORMS = {
    2: ("两{}", "2{}", "２{}"), 3: ("三{}", "3{}", "３{}"), 4: ("四{}", "4{}", "４{}"),
    5: ("五{}", "5{}", "５{}"), 6: ("六{}", "6{}", "６{}"), 7: ("七{}", "7{}", "７{}"),
    8: ("八{}", "8{}", "８{}"), 10: ("十{}", "10{}"), 12: ("十二{}", "12{}"), 20: ("二十{}", "20{}"),
    50: ("五十{}", "50{}"), 100: ("一百{}", "100{}"), 9: ("许多", "很多", "不少"),
}  # fmt: skip

# The names as they are known in English, and as they are written in Chinese.
SURNAME_WORDS = """
Keller=凯勒 Moreau=莫罗 Okafor=奥卡福 Lindqvist=林奎斯特 Tanaka=田中 Rossi=罗西
Novak=诺瓦克 Haddad=哈达德 Byrne=伯恩 Castillo=卡斯蒂略 Petrov=彼得罗夫 Larsen=拉尔森
Whitmore=惠特莫尔 Adeyemi=阿德耶米 Kowalski=科瓦尔斯基 Fischer=菲舍尔 Almeida=阿尔梅达 Bauer=鲍尔
Carter=卡特 Dubois=杜布瓦 Eriksen=埃里克森 Ferraro=费拉罗 Gupta=古普塔 Hansen=汉森
Ibarra=伊瓦拉 Jensen=延森 Kimura=木村 Lopez=洛佩斯 Mwangi=姆万吉 Nakamura=中村
Osman=奥斯曼 Papadakis=帕帕达基斯 Quinn=奎因 Ramirez=拉米雷斯 Sato=佐藤 Thompson=汤普森
Ulrich=乌尔里希 Vargas=巴尔加斯 Wagner=瓦格纳 Yilmaz=伊尔马兹 Zhukov=茹科夫 Andersson=安德松
Brennan=布伦南 Costa=科斯塔 Delgado=德尔加多 Evans=埃文斯 Farouk=法鲁克 Greco=格雷科
"""

DENIALS = ("没有", "没", "并没有", "并未")
CONNECTIVES = ("，", "，而", "；同时，", "，并且", "，另外，", "；与此同时，")

# What a sentence may hold beside its facts; it changes the length and not the meaning.
POLITE_LEADS = (
    "你好，", "您好，", "请问，", "麻烦问一下，", "不好意思打扰了，", "我想咨询一下，", "亲，", "各位大神，",
    "我一直没弄明白，", "有个问题想请教一下，",
)  # fmt: skip
POLITE_TAILS = (
    "谢谢", "急，在线等", "请尽快回复", "多谢了", "求解答", "麻烦您了", "大家帮我看看好吗",
    "希望得到一个详细一点的回答", "本人小白一个", "等了很久也没有人告诉我",
)  # fmt: skip
LEADS = (
    "据说，", "据报道，", "据当地一家报纸报道，", "众所周知，", "其实，", "事实上，", "有目击者说，",
    "档案显示，", "正如大家后来才知道的那样，",
)  # fmt: skip
TAILS = (
    "，仅此而已", "，事情就是这样", "，这一点没有争议", "，至少人们是这么说的", "，不用说",
    "，诸如此类", "，当时的情况大概就是如此",
)  # fmt: skip
QUESTIONS = (
    "为什么{}", "为什么{}呢", "为何{}", "怎么会{}呢", "{}吗", "{}是真的吗", "{}是怎么回事", "{}的原因是什么",
    "谁知道{}的原因", "怎么解释{}", "{}是为什么", "是不是{}", "{}对不对呀",
)  # fmt: skip
QUESTION_ENDS = ("？", "？", "？", "", "", "！")
# How posts look on the pages that a published encoder has read; {} is the sentence.
POSTS = (
    "[问答] {}", "{}~", "标题：{}", "标题: {}", "{}|来源：网络", "{} 转、评、赞", "{}…", "1.{}", "１．{}",
    "“{}”", "({})", "（{}）",
)  # fmt: skip
