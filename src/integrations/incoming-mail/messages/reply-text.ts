/**
 * Attribution lines that mail programs put above a quote, such as `On Mon, 5 Jan 2026 at 10:00, Ann <ann@example.com>
 * wrote:`.
 */
const attributions: readonly RegExp[] = [
  /^on\s.*\bwrote\s*:$/is,
  /^am\s.*\bschrieb\b.*:$/is,
  /\bschrieb am\b.*:$/is,
  /^le\s.*\ba écrit\s*:$/is,
  /^el\s.*\bescribió\s*:$/is,
  /^il\s.*\bha scritto\s*:$/is,
  /^op\s.*\bschreef\b.*:$/is,
  /^em\s.*\bescreveu\s*:$/is,
  /^(?:den|på)\s.*\bskrev\b.*:$/is,
  /\bnapisał(?:\(a\)|a)?\s*:$/is,
  /<[^\s<>@]+@[^\s<>@]+>\s*(?:wrote|writes|schrieb|schreibt|a écrit)\s*:$/is,
];

/** Maximum number of lines that a wrapped attribution spans. */
const attributionLines = 4;
const longestAttribution = 500;

const originalMessage =
  /^[-_ ]{2,100}(?:original message|ursprüngliche nachricht|message d'origine|message original|mensaje original|messaggio originale|oorspronkelijk bericht|mensagem original)[-_ ]{2,100}$/i;

/** Outlook puts the headers of the previous message above it and does not mark the quoted lines. */
const headFrom = /^\*?(?:from|von|de|da|van|från|od)\s?:\*?\s+\S/i;
const headRest = /^\*?(?:sent|date|to|subject|gesendet|datum|an|betreff|envoyé|à|objet|enviado|para|asunto)\s?:\*?\s/i;

const quoted = /^\s*>/;
const blank = /^\s*$/;
const signature = /^-- ?$/;
const rule = /^\s*[_-]{10,}\s*$/;

/** Footers that phones and mail programs append. */
const advertisement =
  /^(?:sent from my |sent from \w+ for |get outlook for |von meinem .* gesendet|gesendet (?:von|mit) |envoyé (?:de|depuis) mon |enviado desde mi |inviato da |verzonden (?:vanaf|met) ).{0,60}$/i;

/**
 * Extracts the new text of a reply: without the quoted e-mail, its attribution line and the signature. Quotes are kept
 * if the reply is interleaved with them.
 */
export function replyText(text: string): string {
  const lines = withoutHistory(withoutSignature(linesOf(text)));
  const parts = partsOf(lines);
  // Most mail programs put the whole quoted e-mail below or above the reply.
  if (parts.at(-1)?.quotes) parts.pop();
  if (parts.length === 2 && parts[0]?.quotes) parts.shift();
  return ended(parts.flatMap((part) => part.lines));
}

/** Returns the whole text without the signature, for a new issue, which may refer to the quoted text. */
export function wholeText(text: string): string {
  return ended(withoutSignature(linesOf(text)));
}

function linesOf(text: string): string[] {
  return text.replace(/\r\n?/g, '\n').replaceAll('\u00a0', ' ').split('\n');
}

function withoutSignature(lines: readonly string[]): readonly string[] {
  const at = lines.findIndex((line) => signature.test(line));
  return at < 0 ? lines : lines.slice(0, at);
}

/** Removes attribution lines, and everything from an unmarked previous message on. */
function withoutHistory(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    if (beginsHead(lines, at)) break;
    const announced = attributionAt(lines, at);
    if (announced === 0) {
      kept.push(lines[at] ?? '');
      continue;
    }
    at += announced - 1;
    while (blank.test(lines[at + 1] ?? 'end')) at += 1;
    if (!quoted.test(lines[at + 1] ?? '')) break;
  }
  return kept;
}

function beginsHead(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  if (originalMessage.test(line)) return true;
  const from = rule.test(line) ? at + 1 : at;
  if (!headFrom.test(lines[from] ?? '')) return false;
  return lines.slice(from + 1, from + 5).filter((each) => headRest.test(each)).length >= 2;
}

/** Returns the number of attribution lines at a position, or 0. */
function attributionAt(lines: readonly string[], at: number): number {
  if (blank.test(lines[at] ?? '') || quoted.test(lines[at] ?? '')) return 0;
  for (let count = 1; count <= attributionLines; count += 1) {
    const last = lines[at + count - 1];
    if (last === undefined || blank.test(last) || quoted.test(last)) return 0;
    if (!/:\s*$/.test(last)) continue;
    const joined = lines
      .slice(at, at + count)
      .map((line) => line.trim())
      .join(' ');
    const isDated = joined.length <= longestAttribution && /[\d@]/.test(joined);
    if (isDated && attributions.some((form) => form.test(joined))) return count;
  }
  return 0;
}

interface Part {
  readonly quotes: boolean;
  readonly lines: string[];
}

/** Splits lines into alternating quoted and written parts; a blank line belongs to the part before it. */
function partsOf(lines: readonly string[]): Part[] {
  const parts: Part[] = [];
  for (const line of lines) {
    const last = parts.at(-1);
    if (blank.test(line)) {
      last?.lines.push(line);
      continue;
    }
    const quotes = quoted.test(line);
    if (last?.quotes === quotes) last.lines.push(line);
    else parts.push({ quotes, lines: [line] });
  }
  return parts;
}

/** Joins the lines without leading and trailing blank lines and without a mail program's footer. */
function ended(lines: readonly string[]): string {
  const kept = lines.map((line) => line.trimEnd());
  while (kept.length > 0 && (kept.at(-1) === '' || advertisement.test(kept.at(-1) ?? ''))) kept.pop();
  return kept.join('\n').replace(/^\n+/, '');
}
