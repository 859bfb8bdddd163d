"""Estimate the tokens that a model will count, without a vendor's tokeniser; a host may pass an exact counter.

A text is cut into the pieces that byte-pair tokenisers form before they merge bytes: a word with the character before
it, three digits, a run of punctuation, a run of white space. The cost of a piece is the average for its kind and length
in a vocabulary of 200,000 entries (o200k_base), rounded up slightly. The costs were measured piece by piece;
`docs/benchmarks.md` has the range of errors.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Protocol

from brain.caches import cached
from brain.errors import InvalidInput
from cognitive.validation import require_label


class TokenCounter(Protocol):
    """Interface of a function that counts the tokens of a text as a model does.

    The count must depend on the text alone, since recorded turns are replayed with the counter of this `name`. Token
    budgets hold only if a text costs at most as much as the sum of its lines, each with its line break. This is true of
    byte-pair tokenisers.
    """

    @property
    def name(self) -> str:
        """The counter's name, recorded with every turn.

        A counter with another vocabulary or version needs another name.
        """
        ...

    def __call__(self, text: str) -> int:
        """Return the number of tokens in a text, at least 0."""
        ...


class CheckedCounter:
    """A token counter of the host whose results are checked, so that no wrong count is stored with a turn.

    Raises:
        InvalidInput: the counter has no name, raises, or returns something other than a number of at least 0. It is
            tried once when this object is made; a turn whose texts it cannot count goes on without memories.
    """

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self.name = require_label("token_counter.name", getattr(counter, "name", None))
        self("Is this a counter?")

    def __call__(self, text: str) -> int:
        """Return the number of tokens in a text; a fraction is rounded up."""
        try:
            counted = self._counter(text)
        except Exception as error:
            raise InvalidInput(f"token_counter: {self.name!r} raised {type(error).__name__}: {error}") from error
        try:
            tokens = math.ceil(counted)
        except (TypeError, ValueError, OverflowError):  # no number, NaN, infinity
            tokens = -1
        if tokens < 0:
            raise InvalidInput(f"token_counter: expected a number of at least 0 from {self.name!r}, got {counted!r}")
        return tokens


_UPPER, _LOWER = "A-ZÀ-ÖØ-Þ", "a-zß-öø-ÿĀ-ɏ\u1e00-\u1eff"
_MARKS = "!-/:-@\\[-`{-~"  # the punctuation of ASCII
_PIECE = re.compile(
    r"[0-9A-Za-z+/]{16,}=*"  # a cipher (base64, a digest), a long word or a path
    rf"|[ \t{_MARKS}]?(?:[{_UPPER}]*[{_LOWER}]+|[{_UPPER}]+)(?:'(?:[dmst]|ll|re|ve)\b)?"
    r"|[0-9]{1,3}"
    rf"| ?[{_MARKS}]+[\r\n]*"
    rf"| ?[^\x00-\x7f{_UPPER}{_LOWER}\s{_MARKS}]+"
    r"|\s*[\r\n]+"
    r"|\s+(?!\S)|\s"
    r"|[\x00-\x7f]"
)
_PLAIN = re.compile(_PIECE.pattern.split("|", 1)[1])  # the pattern without ciphers
_HEXADECIMAL = re.compile("[0-9a-f]+|[0-9A-F]+")
_VOWEL = re.compile("[^b-df-hj-np-tv-xzB-DF-HJ-NP-TV-XZ]")
_LONG_RUN = re.compile(r"(.)\1{2,}")
_MIN_CIPHER_LENGTH = 16  # characters
_SWITCH = re.compile(r"[0-9](?=[A-Za-z])|[a-z](?=[A-Z0-9])|[A-Z](?=[0-9])|[A-Z](?=[A-Z][a-z])")
_SWITCHES = 0.22  # switches of kind per character: paths and names have up to 0.15, digests 0.25 and more, base64 0.6


class Script(NamedTuple):
    """The token cost of characters of one script, from code point `start` to the `start` of the next row in the table.

    A sequence of such characters costs `run` tokens, plus `each` for every character.
    """

    start: int
    run: float
    each: float


_SYMBOL = (0.0, 1.0)  # most typographic symbols have an entry
_IDEOGRAPHS = Script(0x3100, 0.1, 0.85)
_SCRIPTS = (
    Script(0x0080, *_SYMBOL),
    Script(0x0250, 0.3, 0.45),  # phonetic letters, combining accents
    Script(0x0370, 0.2, 0.38),  # Greek
    Script(0x0400, 0.7, 0.18),  # Cyrillic
    Script(0x0530, 0.3, 0.42),  # Armenian, Hebrew
    Script(0x0600, 0.6, 0.21),  # Arabic
    Script(0x0700, 0.2, 0.7),
    Script(0x0900, 0.45, 0.25),  # Devanagari
    Script(0x0980, 0.15, 0.4),  # the other scripts of India
    Script(0x0E00, 0.4, 0.41),  # Thai, Lao
    Script(0x0F00, 0.3, 0.8),
    Script(0x2000, *_SYMBOL),
    Script(0x2600, 0.0, 1.7),  # dingbats; the common ones have an entry
    Script(0x27C0, *_SYMBOL),
    Script(0x2E80, 0.1, 0.95),  # ideographic punctuation
    Script(0x3040, 0.2, 0.57),  # kana
    _IDEOGRAPHS,
    Script(0xA000, 0.2, 1.5),
    Script(0xAC00, 0.35, 0.65),  # Hangul
    Script(0xD7B0, 0.0, 2.0),
    Script(0xFE00, 0.0, 1.0),  # selectors of emoji, full-width forms
    Script(0x10000, 0.0, 3.0),
    Script(0x1F000, 0.0, 2.0),  # emoji
    Script(0x1FA70, 0.0, 3.0),  # the newest emoji, and all later characters
)
_ENDS = [script.start for script in _SCRIPTS[1:]] + [0x110000]
_RUN = re.compile("|".join(f"([{chr(row.start)}-{chr(end - 1)}]+)" for row, end in zip(_SCRIPTS, _ENDS, strict=True)))

# The commonest words of a Latin text show how much of it is English. Other languages have fewer entries in a
# vocabulary, so that their words are split into more tokens.
_ENGLISH = frozenset("the of and to in is that for it with was as be by this are from or you have not".split())
_OTHERS = frozenset(
    "der die das und ist nicht den mit von ein eine auf für im zu le la les des et est une dans que pas pour sur"
    " el los las un del por con para se il di che non per da do não em um na het een van en de nie się ve bir".split()
)
# Frequent Chinese words, in general and about computers: each shares a token between its characters. Without them, the
# errors for everyday, technical and classical prose differ by 30 %.
_CHINESE = frozenset(
    (
        "我们 你们 他们 自己 因为 所以 但是 如果 可以 已经 没有 什么 这个"
        " 那个 一个 一些 问题 需要 时候 知道 现在 工作 时间 公司 中国"
        " 使用 通过 开始 可能 应该 以及 或者 就是 不是 还是 大家 朋友"
        " 今天 明天 今年 生活 觉得 喜欢 非常 很多 这些 那些 发展 技术"
        " 支持 提供 方法 情况 之后 之前 同时 其他 不同 重要 完成 出现"
        " 地方 孩子 老师 学生 学习 社会 经济 市场 产品 客户 计划 准备"
        " 北京 上海 会议 小时 分钟 看到 起来 出来 成为 作为 根据 对于"
        " 关于 我們 你們 他們 因為 沒有 這個 時候 問題 系统 数据 进行"
        " 服务 用户 项目 管理 信息 网络 文件 设置 配置 测试 代码 版本"
        " 错误 命令 无法 必须 选项 参数 接口 功能 操作 连接 请求 返回"
        " 更新 输入 显示 选择 打开 添加 删除 目录 名称 内容 程序 运行"
        " 处理 结果 国家 政府 全国 增长 收入 人民 地区 城市 世界 国际"
        " 政策 企业 投资 建设 改革 部门 活动 影响 环境 安全 保护 能力"
        " 水平 提高 增加 减少 继续 保持 实现 实际 目前 其中 由于 然后"
        " 虽然 而且 只有 还有 一样 一起 一直 一定 一种 一次 每天 昨天"
        " 晚上 上午 下午 周末 希望 相关 联系 订单 地址 价格 购买 电话"
        " 手机 妈妈 爸爸 人们 大学 教育 医院 医生 健康 事情 东西 机会"
        " 关系 作用 过程 条件 范围 标准 要求 规定 法律 合同 银行 费用"
        " 成本 销售 消费 设计 研究 分析 报告 文章 消息 新闻 记者 表示"
        " 认为 介绍 发布 公布 统计 稳定 有望 之间 部分 最近 年轻 原来"
    ).split()
)
_SHARED = 1.05  # tokens that a frequent Chinese word saves


@dataclass(frozen=True, slots=True)
class Word:
    """The token cost of one kind of Latin word.

    A word costs `first` tokens, plus `each` tokens for every letter after the first `free` letters.
    """

    first: float
    each: float
    free: int

    def cost(self, letters: int) -> float:
        """Return the cost in tokens of a word with this number of letters."""
        return self.first + self.each * max(0, letters - self.free)


_SPACED = Word(1.0, 0.045, 5)  # " word", as in a sentence
_BARE = Word(1.0, 0.065, 4)  # at the beginning of a line, or a later part of a name
_GLUED = Word(1.04, 0.115, 3)  # "_word", ".word", "(word": marks that have entries together with words
_APART = Word(1.27, 0.115, 3)  # ":word", "|word": marks that seldom have
_GLUES = frozenset("._(<*")
_CAPITALS = Word(1.05, 0.17, 3)
_MIXED = Word(1.6, 0.3, 2)  # "HTTPServer"
_FOREIGN = 0.18  # additional, for each character after the free ones, in a line without English
_FREE = 6  # characters
_ACCENT, _RARE_ACCENT = 0.2, 0.9  # additional, for each letter outside ASCII; rare ones are U+0100 to U+017F
_UNSPOKEN = 0.25  # additional, for each letter after the second of a word without vowels
_CIPHER = {True: 0.585, False: 0.67}  # for each character; True: the cipher has hexadecimal digits only
_TAB = 0.6  # additional, for a tab before a word
_MAX_SPACE_LENGTH = 80  # characters of white space in one token
_MAX_KNOWN_LENGTH = 24  # characters of a piece whose cost is cached
_MARGIN = 1.015  # safety factor: an estimate that is too low exceeds a budget
_ROUNDING = 0.1  # tokens subtracted, so that the margin adds no token to a text of one or two pieces


class TokenEstimator:
    """The default token counter: an estimate of a model's count.

    On most kinds of text its error is within a tenth, and it is rather too high than too low.
    """

    name = "estimate-2"

    def __call__(self, text: str) -> int:
        """Return the estimated number of tokens, 0 only for an empty text. The time is linear in the length."""
        pieces, tokens = _cut(text)
        for piece, times in pieces.items():
            tokens += times * (_known(piece) if len(piece) <= _MAX_KNOWN_LENGTH else _cost(piece))
        return math.ceil(_MARGIN * (tokens + _foreign(text)) - _ROUNDING)


count: TokenCounter = TokenEstimator()


def _cut(text: str) -> tuple[Counter[str], float]:
    """Split a text as a tokeniser does. Return how often each piece occurs, and the tokens of the ciphers in the text.

    Ciphers are base64 data, digests and similar strings. They are not among the pieces.
    """
    pieces, ciphers = Counter(_PIECE.findall(text)), 0.0
    for piece in [piece for piece in pieces if len(piece) >= _MIN_CIPHER_LENGTH and piece.isascii()]:
        switches = len(_SWITCH.findall(piece))
        times = pieces.pop(piece)
        if switches >= _SWITCHES * len(piece):
            ciphers += times * len(piece) * _CIPHER[_HEXADECIMAL.fullmatch(piece) is not None]
        else:
            for part, often in Counter(_PLAIN.findall(piece)).items():
                pieces[part] += times * often
    return pieces, ciphers


def _foreign(text: str) -> float:
    """Return the additional tokens of long Latin words in those lines of a text that are not in English.

    The tokens are counted for each line, so that a text never costs more than its lines, each with its line break.
    """
    return sum(map(_foreign_line, text.splitlines()))


def _foreign_line(line: str) -> float:
    words = line.split(" ")
    others = sum(word in _OTHERS for word in words)
    if not others:
        return 0.0
    english = sum(word in _ENGLISH for word in words)
    excess = sum(len(word) - _FREE for word in words if len(word) > _FREE and word[0] < "\u0250")
    return others / (english + others) * _FOREIGN * excess


def _latin(piece: str) -> bool:
    last = piece[-1]
    return last.isalpha() and (last < "\u0250" or "\u1e00" <= last < "\u1f00")


def _cost(piece: str) -> float:
    if _latin(piece):
        return _word(piece)
    if not piece.isascii():
        return _run(piece)
    if piece[0].isdigit():
        return 1.0
    return _marks(piece) if piece.strip() else 1.0 + len(piece) // _MAX_SPACE_LENGTH


_known = cached(1 << 15)(_cost)  # texts of one process repeat their words


def _word(piece: str) -> float:
    lead = "" if piece[0].isalpha() else piece[0]
    word = piece[len(lead) :].partition("'")[0]
    letters = len(word)
    if word.islower() or word.istitle():
        kind = _SPACED if lead == " " else _BARE if not lead.strip() else _GLUED if lead in _GLUES else _APART
    else:
        kind = _CAPITALS if word.isupper() else _MIXED
    cost = kind.cost(letters) + _TAB * (lead == "\t")
    if letters > 2 and not _VOWEL.search(word):
        cost += _UNSPOKEN * (letters - 2)
    return cost if word.isascii() else cost + sum(map(_accent, word))


def _accent(letter: str) -> float:
    if letter.isascii():
        return 0.0
    return _RARE_ACCENT if "\u0100" <= letter < "\u0180" else _ACCENT


def _run(piece: str) -> float:
    """Return the tokens of a piece of text outside ASCII, by the scripts of its characters."""
    cost = 0.0
    for match in _RUN.finditer(piece):
        run, script = match.group(), _SCRIPTS[(match.lastindex or 1) - 1]
        cost += script.run + script.each * len(run)
        if script is _IDEOGRAPHS:
            cost -= _SHARED * sum(a + b in _CHINESE for a, b in pairwise(run))
    return max(1.0, cost)


def _marks(piece: str) -> float:
    """Return the tokens of a sequence of punctuation marks.

    Most pairs of marks, and repetitions of one mark, are single entries in a tokeniser's vocabulary.
    """
    run = piece.strip()
    changes = sum(a != b for a, b in pairwise(run))
    return 1.0 + 0.15 * (changes > 1) + 0.52 * max(0, changes - 2) + 0.45 * len(_LONG_RUN.findall(run))
