import type { MarkdownIt } from 'markdown-it';

const languages: Readonly<Record<string, string>> = { '---': 'yaml', '+++': 'toml', ';;;': 'json' };

/** Front matter: metadata at the start of a text between two lines of `---`, rendered as code. */
export function frontMatterRule(markdown: MarkdownIt): void {
  markdown.block.ruler.before('table', 'front_matter', (state, startLine, endLine, silent) => {
    if (startLine !== 0 || state.level !== 0 || state.blkIndent !== 0) return false;
    const lineAt = (line: number) => state.src.slice(state.bMarks[line], state.eMarks[line]).trimEnd();
    const mark = lineAt(0);
    const language = languages[mark];
    if (language === undefined) return false;
    let end = 1;
    while (end < endLine && lineAt(end) !== mark) end += 1;
    if (end >= endLine || end === 1) return false;
    if (silent) return true;

    state.line = end + 1;
    const token = state.push('fence', 'code', 0);
    token.info = language;
    token.content = state.getLines(1, end, 0, true);
    token.map = [0, end + 1];
    token.meta = { frontMatter: true };
    return true;
  });
}
