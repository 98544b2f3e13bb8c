/** Author or committer of a commit, or tagger of a tag, with the date. */
export interface Identity {
  readonly name: string;
  readonly email: string;
  /** Seconds since 1970; 0 when the line has no readable date. */
  readonly seconds: number;
  /** Minutes east of Greenwich. */
  readonly zone: number;
}

const UNKNOWN_DATE = { seconds: 0, zone: 0 };
const crud = /[\s.,:;<>"\\']/;

/**
 * Parses `name <email> seconds zone` as git does: the name ends at the first `<`, the address at the next `>`, and the
 * date is searched after the last `>`, because old tools wrote broken addresses.
 */
export function parseIdentity(line: string): Identity {
  const open = line.indexOf('<');
  const close = line.indexOf('>', open + 1);
  if (open < 0 || close < 0) return { name: line.trim(), email: '', ...UNKNOWN_DATE };
  const date = /^\s*(\d+)\s+([+-])(\d+)/.exec(line.slice(line.lastIndexOf('>') + 1));
  return {
    name: line.slice(0, open).trimEnd(),
    email: line.slice(open + 1, close),
    ...(date ? { seconds: Number(date[1]), zone: parseZone(date[2] === '-', date[3] ?? '0') } : UNKNOWN_DATE),
  };
}

/** Formats an identity for a commit object. */
export function formatIdentity(identity: Identity): string {
  const minutes = Math.abs(identity.zone);
  const zone = String(Math.floor(minutes / 60) * 100 + (minutes % 60)).padStart(4, '0');
  const sign = identity.zone < 0 ? '-' : '+';
  return `${identity.name} <${identity.email}> ${Math.trunc(identity.seconds)} ${sign}${zone}`;
}

/**
 * Returns an identity that git accepts: no brackets or control characters, no punctuation at the ends. Otherwise a name
 * could end the line and inject headers into the commit.
 */
export function cleanIdentity(identity: Identity): Identity {
  const email = cleanPart(identity.email).replaceAll(' ', '');
  const name = cleanPart(identity.name) || email.split('@')[0] || 'unknown';
  const seconds = Math.max(0, Math.trunc(identity.seconds));
  return { name, email, seconds, zone: Math.max(-840, Math.min(840, Math.trunc(identity.zone))) };
}

// Commits are cached and rendered repeatedly; formatting a date takes ten times as long as this lookup.
const dates = new WeakMap<Identity, string>();

/** Returns the date in its original time zone: `2021-09-20T09:06:12.000+03:00`. */
export function identityDate(identity: Identity): string {
  const known = dates.get(identity);
  if (known !== undefined) return known;
  const text = formatDate(identity);
  dates.set(identity, text);
  return text;
}

/** Returns the date without milliseconds, as in messages and jobs: `2021-09-20T09:06:12+03:00`. */
export function identitySecond(identity: Identity): string {
  return identityDate(identity).replace('.000', '');
}

/**
 * Returns the seconds if they can be represented as a date, otherwise 0. git accepts any number. A JavaScript date ends
 * at 8.64e12 seconds; beyond the year 9999 the format of the text would change.
 */
export function datedSeconds(seconds: number): number {
  return seconds <= 253_402_000_000 ? seconds : 0;
}

function formatDate(identity: Identity): string {
  const seconds = datedSeconds(identity.seconds);
  const local = new Date((seconds + identity.zone * 60) * 1000).toISOString().slice(0, -1);
  const minutes = Math.abs(identity.zone);
  const hours = String(Math.floor(minutes / 60)).padStart(2, '0');
  return `${local}${identity.zone < 0 ? '-' : '+'}${hours}:${String(minutes % 60).padStart(2, '0')}`;
}

function parseZone(west: boolean, digits: string): number {
  const value = Number(digits);
  const minutes = Math.floor(value / 100) * 60 + (value % 100);
  // Real zones are between -12 and +14 hours; anything beyond was written by broken tools.
  if (minutes >= 24 * 60) return 0;
  return west && minutes > 0 ? -minutes : minutes;
}

function cleanPart(part: string): string {
  let cleaned = '';
  for (const char of part) if (char !== '<' && char !== '>' && char >= ' ' && char !== '\x7f') cleaned += char;
  let [start, end] = [0, cleaned.length];
  while (start < end && crud.test(cleaned.charAt(start))) start += 1;
  while (start < end && crud.test(cleaned.charAt(end - 1))) end -= 1;
  return cleaned.slice(start, end);
}
