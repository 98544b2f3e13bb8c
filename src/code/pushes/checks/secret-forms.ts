/** A kind of secret that its form alone gives away: what it begins with, and what must follow. */
interface Form {
  readonly kind: string;
  readonly starts: readonly string[];
  readonly rest: string;
}

const form = (kind: string, starts: string | readonly string[], rest: string): Form => ({
  kind,
  starts: typeof starts === 'string' ? [starts] : starts,
  rest,
});

/** Only forms that their issuers have made to be found: a guess that is wrong keeps somebody from their work. */
const forms: readonly Form[] = [
  form('Personal, project or group access token', 'glpat-', '[\\w.-]{20,300}'),
  form('Deploy token', 'gldt-', '[\\w-]{20,300}'),
  form('Runner authentication token', 'glrt-', '[\\w.-]{20,300}'),
  form('Runner registration token', 'GR1348941', '[\\w-]{20}'),
  form('Pipeline trigger token', 'glptt-', '[\\w-]{20,300}'),
  form('CI/CD job token', 'glcbt-', '[\\w.-]{20,300}'),
  form('Feed token', 'glft-', '[\\w-]{20,300}'),
  form('OAuth application secret', 'gloas-', '[\\w-]{40,300}'),
  form('GitHub token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], '[0-9A-Za-z]{36}(?![0-9A-Za-z])'),
  form('GitHub fine-grained token', 'github_pat_', '[0-9A-Za-z_]{82}'),
  // The keys of Amazon's own examples end like that.
  form('AWS access key', ['AKIA', 'ASIA'], '(?![A-Z0-9]{9}EXAMPLE)[A-Z2-7]{16}(?![0-9A-Za-z])'),
  form('Google API key', 'AIza', '[\\w-]{35}(?![\\w-])'),
  form('Slack token', ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xapp-'], '\\d[0-9A-Za-z-]{24,250}'),
  form('Slack webhook', 'https://hooks.slack.com/services/', 'T[0-9A-Z]{6,20}/B[0-9A-Z]{6,20}/[0-9A-Za-z]{20,30}'),
  form('Stripe key', ['sk_live_', 'rk_live_'], '[0-9A-Za-z]{24,200}'),
  form('npm token', 'npm_', '[0-9A-Za-z]{36}(?![0-9A-Za-z])'),
  form('PyPI token', 'pypi-AgEIcHlwaS5vcmc', '[\\w-]{50,300}'),
  form('Docker token', 'dckr_pat_', '[\\w-]{27}'),
  form('DigitalOcean token', ['dop_v1_', 'doo_v1_', 'dor_v1_'], '[0-9a-f]{64}'),
  form('SendGrid key', 'SG.', '[\\w-]{22}\\.[\\w-]{43}'),
  form('Shopify token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], '[0-9A-Fa-f]{32}'),
  form('Anthropic key', 'sk-ant-', '(?:api|admin)\\d\\d-[\\w-]{80,120}'),
  form('OpenAI key', ['sk-', 'sk-proj-'], '[\\w-]{20,200}T3BlbkFJ[\\w-]{20}'),
  form('Hugging Face token', 'hf_', '[A-Za-z]{34}(?![0-9A-Za-z])'),
  form('age secret key', 'AGE-SECRET-KEY-1', '[0-9A-Z]{58}'),
  form(
    'Private key',
    ['', 'RSA ', 'EC ', 'DSA ', 'OPENSSH '].map((kind) => `-----BEGIN ${kind}PRIVATE KEY-----`),
    // Written as lines, or as a text of JSON. One that a passphrase protects has other lines first, or says so.
    '(?:\\s|\\\\r|\\\\n){1,4}[0-9A-Za-z+/]{40}',
  ),
];

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const starts = forms.flatMap((each) => each.starts.map((start) => ({ start, ...each })));
// The longest first: of two that begin alike, it says more.
const anyStart = new RegExp(
  starts
    .map(({ start }) => start)
    .sort((one, two) => two.length - one.length)
    .map(escaped)
    .join('|'),
  'g',
);
const byStart = new Map(starts.map(({ start, kind, rest }) => [start, { kind, rest: new RegExp(rest, 'y') }] as const));

/** A secret that stands in a text. */
export interface FoundSecret {
  readonly kind: string;
  readonly value: string;
  readonly index: number;
}

/** So many are told of one text. */
const maxFound = 100;
const withinWord = /[0-9A-Za-z_-]/;

/**
 * The secrets in a text. One pass looks for their beginnings; what follows one is looked at only where a word begins, and
 * is of bounded length, so that no text makes it slow.
 */
export function secretsIn(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  anyStart.lastIndex = 0;
  for (let hit = anyStart.exec(text); hit && found.length < maxFound; hit = anyStart.exec(text)) {
    const [start] = hit;
    const { index } = hit;
    const { kind, rest } = byStart.get(start) ?? {};
    if (!kind || !rest || withinWord.test(text.charAt(index - 1))) continue;
    rest.lastIndex = index + start.length;
    const [followed] = rest.exec(text) ?? [];
    if (followed === undefined) continue;
    found.push({ kind, value: start + followed, index });
    anyStart.lastIndex = index + start.length + followed.length;
  }
  return found;
}

/** The line that something stands in, the first being 1. */
export function lineOf(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
