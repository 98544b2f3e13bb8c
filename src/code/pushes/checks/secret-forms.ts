/** A secret format: the prefix by which it is recognized, and the pattern of the rest. */
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

/** Only formats designed to be detected, because a false positive blocks a push. */
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
  // The keys in Amazon's documentation end in EXAMPLE.
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
    // Plain lines or a JSON string. Encrypted keys have other header lines first, so they do not match.
    '(?:\\s|\\\\r|\\\\n){1,4}[0-9A-Za-z+/]{40}',
  ),
];

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const starts = forms.flatMap((each) => each.starts.map((start) => ({ start, ...each })));
// Longest prefix first, as it is the more specific of two overlapping ones.
const anyStart = new RegExp(
  starts
    .map(({ start }) => start)
    .sort((one, two) => two.length - one.length)
    .map(escaped)
    .join('|'),
  'g',
);
const byStart = new Map(starts.map(({ start, kind, rest }) => [start, { kind, rest: new RegExp(rest, 'y') }] as const));

/** A secret found in a text. */
export interface FoundSecret {
  readonly kind: string;
  readonly value: string;
  readonly index: number;
}

/** Maximum number of secrets reported per text. */
const maxFound = 100;
const withinWord = /[0-9A-Za-z_-]/;

/**
 * Finds secrets in a text. A single pass finds the prefixes; the rest is only matched at word boundaries and has a
 * bounded length, so that the time is linear in the size of the text.
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

/** The 1-based line number of an index. */
export function lineNumberAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
