/**
 * The queue in which a process waits for its turn. `transport` processes may wait for `work` ones (a push waits for its
 * access check), never the other way round, so the two queues cannot deadlock.
 */
export type Lane = 'work' | 'transport';

/** The flags and arguments that one subcommand accepts. */
export interface SubcommandRule {
  /** Allowed flags; `--name` also admits `--name=value`; a trailing `*` admits any attached value (`-L*`). */
  readonly flags: ReadonlySet<string>;
  /** Its verbs (`commit-graph write`); one is then required. */
  readonly verbs: readonly string[];
  /** git only separates revisions from options where it understands `--end-of-options`. */
  readonly endOfOptions: boolean;
  /** When `--` ends the revisions: `always` where git would otherwise try a revision as a path. */
  readonly dashDash: 'always' | 'paths' | 'never';
  readonly lane: Lane;
  /** Whether the transport configuration is added. */
  readonly transport: boolean;
}

function rule(flags: string, over: Partial<Omit<SubcommandRule, 'flags'>> = {}): SubcommandRule {
  const names = new Set(flags.split(/\s+/).filter(Boolean));
  return { verbs: [], endOfOptions: true, dashDash: 'paths', lane: 'work', transport: false, ...over, flags: names };
}

const NO_END = { endOfOptions: false };
const WALK = { dashDash: 'always' } as const;
const TRANSPORT = { lane: 'transport', transport: true } as const;

const SELECTION = `
  --stdin --all --exclude --not --author --since --until --max-age --min-age --first-parent --topo-order
  --max-count --skip --grep --regexp-ignore-case --fixed-strings
`;

/** Every subcommand that may be started, with its flags. */
export const SUBCOMMANDS = {
  // archive takes paths right after the tree: its own `--` would be read as a path.
  archive: rule('--format --prefix', { dashDash: 'never' }),
  blame: rule('--porcelain -L*', NO_END),
  'cat-file': rule('--batch-command --buffer'),
  'commit-graph': rule('--reachable --changed-paths --split --no-progress', { ...NO_END, verbs: ['write'] }),
  'count-objects': rule('-v'),
  'diff-tree': rule(
    `
    --stdin -r -p -z -M* -l* --root --raw --name-only --shortstat --diff-merges --no-commit-id --no-abbrev --full-index
    --src-prefix --dst-prefix --no-ext-diff --no-textconv --no-color --ignore-submodules --submodule
  `,
    WALK,
  ),
  fetch: rule(
    '--quiet --no-write-fetch-head --atomic --no-tags --no-auto-maintenance --no-recurse-submodules --prune',
    TRANSPORT,
  ),
  'for-each-ref': rule('--format --contains'),
  grep: rule('-n -z -I -i -F -C* -e* --full-name', { ...NO_END, ...WALK }),
  'index-pack': rule('--stdin --strict', NO_END),
  log: rule(
    `${SELECTION} -z --format --raw --no-abbrev --no-patch --follow --full-history --no-merges --no-renames --no-mailmap`,
    WALK,
  ),
  'ls-remote': rule('--symref', { lane: 'transport' }),
  'ls-tree': rule('-r -t -l -z --full-tree'),
  'merge-base': rule('--all --octopus --is-ancestor'),
  'merge-tree': rule('--write-tree -z --no-messages'),
  // The flags that upload-pack passes to it, and those of a bundle.
  'pack-objects': rule('--revs --thin --stdout --shallow --progress --delta-base-offset --include-tag --filter -q', {
    ...NO_END,
    lane: 'transport',
  }),
  'pack-refs': rule('--all --prune'),
  // It waits for the process whose output it reads, so it must not hold a slot of its lane.
  'patch-id': rule('--verbatim', { ...NO_END, lane: 'transport' }),
  push: rule('--porcelain --no-verify --force-with-lease', { lane: 'transport' }),
  'receive-pack': rule('--stateless-rpc --http-backend-info-refs', TRANSPORT),
  repack: rule('-d -q --geometric --write-midx --write-bitmap-index --cruft --cruft-expiration'),
  'rev-list': rule(`${SELECTION} --count --objects --no-object-names --filter --quiet`, WALK),
  'update-ref': rule('--stdin -z'),
  'upload-archive': rule('', { ...NO_END, lane: 'transport' }),
  'upload-pack': rule('--stateless-rpc --http-backend-info-refs --strict', TRANSPORT),
} satisfies Record<string, SubcommandRule>;

/** The name of an allowed subcommand. */
export type Subcommand = keyof typeof SUBCOMMANDS;

/** Whether the table allows a flag: `--name`, `--name=value`, or a short flag with its value attached. */
export function flagAllowed(rule: SubcommandRule, flag: string): boolean {
  const equals = flag.indexOf('=');
  const name = equals < 0 ? flag : flag.slice(0, equals);
  return rule.flags.has(name) || (name.length > 1 && name[1] !== '-' && rule.flags.has(`${name.slice(0, 2)}*`));
}
