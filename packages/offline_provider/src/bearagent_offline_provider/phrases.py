"""The words of report and answer, in both languages. Braces are filled by `str.format`."""

from collections.abc import Mapping

from bearagent_domain.documents import Rec
from bearagent_offline_provider.languages import Language


class Phrases(Rec, frozen=True, kw_only=True):
    """All sentences of one language. `reasons` say why something was not read, or what is wrong with a document."""

    title: str
    objective: str
    nature: str
    read: str
    nothing_read: str
    table_head: str
    lines_of: str
    overview: str
    documents: str
    outline: str
    no_titles: str
    title_at: str
    more_titles: str
    sentences: str
    no_sentences: str
    comparison: str
    comparison_note: str
    own_terms: str
    no_shared_terms: str
    skipped: str
    nothing_skipped: str
    more: str
    lost: str
    separator: str
    answer: str
    answer_nothing: str
    answer_skipped: str
    answer_denied: str
    answer_redirected: str
    answer_nature: str
    write_failed: str
    write_not_offered: str
    unknown_reason: str
    reasons: Mapping[str, str]


ENGLISH = Phrases(
    title="Report",
    objective="Objective: {}",
    nature=(
        "Made by the offline provider of BearAgent. It is extractive and not a language model: it picks sentences by "
        "the words that a document repeats, quotes them as they stand, and concludes nothing. The place in parentheses "
        "behind a quotation is the file and its line or lines."
    ),
    read="What was read",
    nothing_read="No document was read.",
    table_head="| Document | Bytes | Lines read | SHA-256 |",
    lines_of="{} of {}",
    overview="Overview",
    documents="Documents",
    outline="Outline",
    no_titles="It has no titles.",
    title_at="{} (line {})",
    more_titles="{} further titles are not shown.",
    sentences="Key sentences",
    no_sentences="No sentence of it is quoted.",
    comparison="Comparison",
    comparison_note="By frequent words only; whether the documents agree is for a reader to tell.",
    own_terms="Frequent in one document only",
    no_shared_terms="No frequent word is common to several documents.",
    skipped="What was skipped, and why",
    nothing_skipped="Nothing was skipped.",
    more="{} more",
    lost="Documents whose notes were lost, because the context of the run is too small: {}.",
    separator=", ",
    answer=(
        "Documents read: {documents}, files of {size} bytes in all. The report is in {output}. "
        "Quotations in it: {citations}, each with its place."
    ),
    answer_nothing="I read no document. The report in {output} says why.",
    answer_skipped="Skipped: {}; the report gives the reasons.",
    answer_denied="Reading was denied by the policy of this run, so nothing of what was denied is quoted.",
    answer_redirected="Files can be written below outputs/ only, so the report went there.",
    answer_nature=(
        "I am the offline provider, not a language model: the report is extractive, its sentences stand literally in "
        "the documents, and I draw no conclusions."
    ),
    write_failed="The report was not saved. Writing {output} failed: {message}",
    write_not_offered="The report has no place to go: this run does not offer workspace.write. Add it to the tools.",
    unknown_reason="could not be read",
    reasons={
        "not_text": "binary or not UTF-8 text",
        "empty": "empty",
        "hidden": "hidden, by its name",
        "outputs": "the folder of earlier results; name it in the objective to have it read",
        "generated": "a folder of generated or installed files",
        "link": "a link; links are not followed",
        "special": "neither a file nor a folder",
        "not_document": "neither Markdown nor plain text, by its name",
        "left_out": "left out by the objective",
        "no_path": "a name that no path can hold",
        "limit": "not read: the limit of turns for one run was reached",
        "too_many_files": "not read: more than one run reads",
        "too_many_folders": "folders not listed: more than one run lists",
        "not_offered": "not read: this run does not offer the tool for it",
        "not_asked": "not asked for, because reading is denied",
        "changed": "it changed while it was read, so nothing of it is quoted",
        "line_cut": "a line longer than a page was read in part",
        "notes_lost": "the notes on its beginning were lost, because the context of the run is too small",
        "tool_not_allowed": "denied by the policy of this run",
        "tool_effect_refused": "denied by the policy of this run",
        "tool_unknown": "denied: this run does not know the tool",
        "path_not_found": "not found",
        "path_permission": "denied by the file system",
        "path_link": "a link; links are not followed",
        "path_not_regular": "not a regular file",
        "path_traversal": "denied: the path leads out of the workspace",
        "path_absolute": "denied: the path is absolute",
        "file_changed": "it changed while it was read",
        "file_too_large": "too large",
        "tool_timeout": "reading it took too long",
    },
)
CHINESE = Phrases(
    title="报告",
    objective="目标：{}",
    nature=(
        "由 BearAgent 的离线提供者生成。它只做摘录，不是语言模型：按文档中反复出现的词挑选句子，原样引用，不下结论。"
        "括号里是出处：文件和行号。"
    ),
    read="读了什么",
    nothing_read="没有读到任何文档。",
    table_head="| 文档 | 字节 | 已读行数 | SHA-256 |",
    lines_of="{} / {}",
    overview="概览",
    documents="各篇文档",
    outline="提纲",
    no_titles="没有标题。",
    title_at="{}（第 {} 行）",
    more_titles="另有 {} 个标题未列出。",
    sentences="关键句",
    no_sentences="没有引用其中的句子。",
    comparison="比较",
    comparison_note="只依据常见的词；各文档的说法是否一致，需要读者判断。",
    own_terms="只在一篇文档中常见的词",
    no_shared_terms="没有多篇文档共有的常见词。",
    skipped="跳过了什么，为什么",
    nothing_skipped="没有跳过任何内容。",
    more="另有 {} 项",
    lost="有 {} 篇文档已读，但笔记丢失：本次运行的上下文太小，放不下全部笔记。",
    separator="、",
    answer="我读了 {documents} 篇文档，文件共 {size} 字节。报告已写入 {output}，其中引用 {citations} 处，都注明出处。",
    answer_nothing="我没有读到任何文档，原因见 {output} 中的报告。",
    answer_skipped="跳过了 {} 项，报告中列出了原因。",
    answer_denied="本次运行的策略拒绝了读取，因此没有引用被拒绝的内容。",
    answer_redirected="文件只能写在 outputs/ 之下，所以报告写到了那里。",
    answer_nature="我是离线提供者，不是语言模型：报告只做摘录，句子都原样出自文档，不下结论。",
    write_failed="报告没有保存。写入 {output} 失败：{message}",
    write_not_offered="报告无处可写：本次运行没有提供 workspace.write。请把它加入工具列表。",
    unknown_reason="无法读取",
    reasons={
        "not_text": "二进制文件，或不是 UTF-8 文本",
        "empty": "空文件",
        "hidden": "名字表明是隐藏的",
        "outputs": "存放以往结果的目录；在目标中写明才会读取",
        "generated": "生成或安装的文件所在的目录",
        "link": "链接，不跟随",
        "special": "既不是文件也不是目录",
        "not_document": "从名字看不是 Markdown 或纯文本",
        "left_out": "目标要求排除",
        "no_path": "名字无法用路径表示",
        "limit": "未读：达到一次运行的轮数上限",
        "too_many_files": "未读：超过一次运行读取的文件数",
        "too_many_folders": "未列出的目录：超过一次运行列出的目录数",
        "not_offered": "未读：本次运行没有提供所需的工具",
        "not_asked": "没有请求：读取被拒绝",
        "changed": "读取期间内容变了，因此没有引用",
        "line_cut": "有一行超过一页，只读了一部分",
        "notes_lost": "开头部分的笔记丢失：本次运行的上下文太小",
        "tool_not_allowed": "被本次运行的策略拒绝",
        "tool_effect_refused": "被本次运行的策略拒绝",
        "tool_unknown": "被拒绝：本次运行没有这个工具",
        "path_not_found": "没有找到",
        "path_permission": "被文件系统拒绝",
        "path_link": "链接，不跟随",
        "path_not_regular": "不是普通文件",
        "path_traversal": "被拒绝：路径指向工作区之外",
        "path_absolute": "被拒绝：绝对路径",
        "file_changed": "读取期间内容变了",
        "file_too_large": "太大",
        "tool_timeout": "读取超时",
    },
)


def phrases_in(language: Language) -> Phrases:
    """The words of `language`."""
    return CHINESE if language == "zh" else ENGLISH
