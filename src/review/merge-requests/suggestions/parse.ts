/** A replacement that a note suggests for its line and some lines around it. */
export interface Proposal {
  readonly above: number;
  readonly below: number;
  readonly content: string;
}

const maxLines = 100;
const maxProposals = 100;
const opening = /^ {0,3}(`{3,}|~{3,})((?:[^`~][^`]*)?)$/;
const meta = /^suggestion(?::?-(\d+)\+(\d+))?$/;

/** Parses the fenced `suggestion` blocks of a text, with the number of lines above and below that they replace. */
export function parseSuggestions(text: string): Proposal[] {
  const found: Proposal[] = [];
  let fence: { readonly mark: string; readonly proposal: RegExpExecArray | null; readonly lines: string[] } | undefined;
  for (const line of text.replaceAll('\r\n', '\n').split('\n')) {
    if (fence === undefined) {
      const [, mark, info = ''] = opening.exec(line) ?? [];
      if (mark !== undefined) fence = { mark, proposal: meta.exec(info.trim()), lines: [] };
      continue;
    }
    const { mark, proposal, lines } = fence;
    const closing = line.trim();
    const closes =
      /^ {0,3}\S/.test(line) && closing.length >= mark.length && closing === closing.replace(/./g, mark.charAt(0));
    if (!closes) {
      lines.push(line);
      continue;
    }
    fence = undefined;
    if (proposal === null || found.length >= maxProposals) continue;
    found.push({
      above: Math.min(Number(proposal[1] ?? 0), maxLines),
      below: Math.min(Number(proposal[2] ?? 0), maxLines),
      content: lines.map((each) => `${each}\n`).join(''),
    });
  }
  return found;
}
