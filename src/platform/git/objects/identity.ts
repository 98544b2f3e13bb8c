/** Who made a commit or tag, and when. */
export interface Identity {
  readonly name: string;
  readonly email: string;
  /** Seconds since 1970; 0 when the line holds no readable date. */
  readonly seconds: number;
  /** Minutes east of Greenwich. */
  readonly zone: number;
}

const UNKNOWN_DATE = { seconds: 0, zone: 0 };
const crud = /[\s.,:;<>"\\']/;

/**
 * Reads `name <email> seconds zone` the way git does: the name ends at the first `<`, the address at the next `>`, and
 * the date is looked for after the last `>`, because old tools wrote broken addresses.
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

/** Prints an identity as it stands in a commit object. */
export function formatIdentity(identity: Identity): string {
  const minutes = Math.abs(identity.zone);
  const zone = String(Math.floor(minutes / 60) * 100 + (minutes % 60)).padStart(4, '0');
  const sign = identity.zone < 0 ? '-' : '+';
  return `${identity.name} <${identity.email}> ${Math.trunc(identity.seconds)} ${sign}${zone}`;
}

/**
 * An identity that git accepts: no brackets or control characters, no decoration at the ends. Without them a name could
 * end the line and add headers of its own to the commit.
 */
export function cleanIdentity(identity: Identity): Identity {
  const email = cleanPart(identity.email).replaceAll(' ', '');
  const name = cleanPart(identity.name) || email.split('@')[0] || 'unknown';
  const seconds = Math.max(0, Math.trunc(identity.seconds));
  return { name, email, seconds, zone: Math.max(-840, Math.min(840, Math.trunc(identity.zone))) };
}

// Commits are kept in memory and shown again and again; the text of a date takes ten times as long as looking it up.
const dates = new WeakMap<Identity, string>();

/** The date with the zone in which it was written: `2021-09-20T09:06:12.000+03:00`. */
export function identityDate(identity: Identity): string {
  const known = dates.get(identity);
  if (known !== undefined) return known;
  const text = formatDate(identity);
  dates.set(identity, text);
  return text;
}

/** The same to the second, as messages and jobs have it: `2021-09-20T09:06:12+03:00`. */
export function identitySecond(identity: Identity): string {
  return identityDate(identity).replace('.000', '');
}

/**
 * Seconds as a date can be made of: git takes any number for a time. A JavaScript date ends at 8.64e12 seconds; beyond the
 * year 9999 the text would change its form.
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
  // Real zones lie between -12 and +14 hours; what old tools wrote beyond that means nothing.
  if (minutes >= 24 * 60) return 0;
  return west && minutes > 0 ? -minutes : minutes;
}

function cleanPart(part: string): string {
  let kept = '';
  for (const char of part) if (char !== '<' && char !== '>' && char >= ' ' && char !== '\x7f') kept += char;
  let [start, end] = [0, kept.length];
  while (start < end && crud.test(kept.charAt(start))) start += 1;
  while (start < end && crud.test(kept.charAt(end - 1))) end -= 1;
  return kept.slice(start, end);
}
