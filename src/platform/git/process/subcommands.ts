/**
 * Where a process waits for its turn. `transport` processes may wait for `work` ones (a push waits for its access
 * check), never the other way round, so the two queues cannot lock each other up.
 */
export type Lane = 'work' | 'transport';

/** What one subcommand may be given. */
export interface SubcommandRule {
  /** Allowed flags; `--name` also admits `--name=value`; a trailing `*` admits any attached value (`-L*`). */
  readonly flags: ReadonlySet<string>;
  /** The second words it knows (`commit-graph write`); one is then required. */
  readonly verbs: readonly string[];
  /** git puts revisions and options apart by itself only where it understands `--end-of-options`. */
  readonly endOfOptions: boolean;
  /** When `--` ends the revisions: `always` where git would else try a revision as a path. */
  readonly dashDash: 'always' | 'paths' | 'never';
  readonly lane: Lane;
  /** Whether the configuration of section "transport" is added. */
  readonly transport: boolean;
}

const REVISION = `
  -z --format --pretty --no-decorate --decorate --date --max-count --skip --since --until --since-as-filter --max-age --min-age
  --after --before --author --committer --grep --all-match --invert-grep --regexp-ignore-case
  --extended-regexp --fixed-strings --perl-regexp --merges --no-merges --min-parents --max-parents
  --first-parent --all --branches --tags --glob --not --stdin --topo-order --date-order --author-date-order
  --reverse --follow --full-history --simplify-merges --ancestry-path --left-right --left-only --right-only
  --cherry-pick --cherry-mark --cherry --boundary --count --parents --children --objects --objects-edge
  --object-names --no-object-names --filter --filter-print-omitted --missing --use-bitmap-index --disk-usage
  --no-walk --ignore-missing --quiet --timestamp --no-commit-header --unpacked --in-commit-order --exclude
  --full-diff --remove-empty --sparse --dense --no-show-signature --no-notes --encoding --root
  --alternate-refs --no-mailmap --source
`;

const DIFF = `
  -p --patch --no-patch -r -t -c -m --cc --raw --abbrev --no-abbrev --full-index --name-only --name-status
  --numstat --shortstat --stat --summary --unified -U* --binary --find-renames -M* --find-copies -C*
  --no-renames --no-ext-diff --no-textconv --no-color --color --src-prefix --dst-prefix --no-prefix
  --no-relative -l* --diff-filter --diff-algorithm --ignore-space-change -w -b --ignore-all-space
  --no-indent-heuristic --ignore-submodules --submodule --exit-code --merge-base --no-commit-id --always
  --diff-merges --root --minimal --patience --histogram --output-indicator-new --inter-hunk-context
  --full-tree
`;

function rule(flags: string, over: Partial<Omit<SubcommandRule, 'flags'>> = {}): SubcommandRule {
  const names = new Set(flags.trim().split(/\s+/));
  return { verbs: [], endOfOptions: true, dashDash: 'paths', lane: 'work', transport: false, ...over, flags: names };
}

const NO_END = { endOfOptions: false };
const WALK = { dashDash: 'always' } as const;

/** Every subcommand that may be started, with the flags our code may give it. */
export const SUBCOMMANDS = {
  // archive takes paths right after the tree: its own `--` would be read as a path.
  archive: rule('--format --prefix --worktree-attributes -0 -1 -6 -9 --mtime', { dashDash: 'never' }),
  blame: rule(
    `
    -p --porcelain --line-porcelain --incremental -L* -l -w -M* -C* --root --ignore-rev --encoding
    --first-parent --no-progress -s -t
  `,
    NO_END,
  ),
  bundle: rule('--version --quiet --all --progress', {
    ...NO_END,
    verbs: 'create verify unbundle list-heads'.split(' '),
  }),
  'cat-file': rule(`
    -t -s -e -p --batch --batch-check --batch-command --buffer --unordered --batch-all-objects
    --allow-unknown-type --follow-symlinks -z -Z --filter
  `),
  'check-ref-format': rule('--branch --allow-onelevel --normalize --refspec-pattern', NO_END),
  clone: rule(
    `
    --bare --mirror --quiet --no-tags --no-local --shared --single-branch --branch --depth --template --local
    --no-hardlinks --filter
  `,
    { lane: 'transport', transport: true },
  ),
  'commit-graph': rule(
    `
    --reachable --split --append --changed-paths --no-changed-paths --max-new-filters --no-progress
    --stdin-commits --stdin-packs --object-dir --size-multiple --shallow
  `,
    { ...NO_END, verbs: 'write verify'.split(' ') },
  ),
  config: rule('--file --get --unset --unset-all --add --type --list -z --local', NO_END),
  'count-objects': rule('-v --verbose -H'),
  describe: rule(`
    --tags --all --always --abbrev --match --exclude --exact-match --contains --first-parent --candidates
  `),
  diff: rule(`${REVISION} ${DIFF}`, WALK),
  'diff-tree': rule(`${REVISION} ${DIFF}`, WALK),
  'fast-export': rule(`
    ${REVISION} --signed-tags --tag-of-filtered-object --no-data --full-tree --use-done-feature
  `),
  'fast-import': rule('--quiet --done --date-format --force --max-pack-size --big-file-threshold --depth', NO_END),
  fetch: rule(
    `
    --quiet --no-tags --tags --prune --prune-tags --force --no-write-fetch-head --atomic --depth
    --no-auto-maintenance --no-auto-gc --porcelain --no-recurse-submodules --refetch --filter --progress
    --no-progress --update-head-ok --multiple --stdin --verbose --dry-run --negotiation-tip
    --no-show-forced-updates --refmap
  `,
    { lane: 'transport', transport: true },
  ),
  'for-each-ref': rule(`
    --format --sort --count --points-at --merged --no-merged --contains --no-contains --ignore-case --exclude
    --stdin --include-root-refs
  `),
  'format-patch': rule(`
    ${REVISION} ${DIFF} --stdout --no-signature --signature --no-numbered --no-attach --zero-commit
    --no-thread --keep-subject
  `),
  fsck: rule(`
    --full --strict --connectivity-only --no-dangling --no-progress --no-reflogs --cache --unreachable
    --lost-found --name-objects
  `),
  grep: rule(
    `
    -z -n -i -I -l -c -h -E -F -e* --no-color --full-name --null --line-number --column --max-depth
    --max-count -m* -A* -B* -C* --untracked --no-recurse-submodules --threads
  `,
    NO_END,
  ),
  'hash-object': rule('-t* -w --stdin --literally --no-filters --stdin-paths'),
  'index-pack': rule(
    `
    --stdin --fix-thin --strict --fsck-objects --keep --max-input-size --threads --rev-index --no-rev-index -v
    --check-self-contained-and-connected --verify --object-format -o*
  `,
    NO_END,
  ),
  'interpret-trailers': rule(`
    --parse --only-trailers --only-input --unfold --no-divider --trailer --where --if-exists --if-missing
    --trim-empty
  `),
  log: rule(`${REVISION} ${DIFF} -L* -n* -S* -G*`, WALK),
  'ls-remote': rule('--heads --tags --refs --symref --quiet --exit-code --sort --get-url', {
    lane: 'transport',
    transport: true,
  }),
  'ls-tree': rule('-d -r -t -l -z --name-only --full-tree --full-name --long --format --abbrev --object-only'),
  'merge-base': rule('--all -a --octopus --is-ancestor --independent --fork-point'),
  'merge-file': rule('-p --stdout -q --diff3 --zdiff3 --ours --theirs --union -L* --object-id --marker-size', {
    ...NO_END,
    dashDash: 'never',
  }),
  'merge-tree': rule(`
    --write-tree -z --name-only --messages --no-messages --allow-unrelated-histories --merge-base --stdin -X*
    --quiet --strategy-option
  `),
  mktree: rule('-z --missing --batch'),
  'multi-pack-index': rule(
    `
    --no-progress --preferred-pack --bitmap --no-bitmap --object-dir --stdin-packs --batch-size
    --refs-snapshot
  `,
    { ...NO_END, verbs: 'write expire repack verify'.split(' ') },
  ),
  'name-rev': rule(`
    --tags --refs --exclude --all --annotate-stdin --stdin --name-only --no-undefined --always
  `),
  'pack-objects': rule(`
    --revs --stdout --all --thin --delta-base-offset --stdin-packs --unpacked --quiet -q --no-reuse-delta
    --honor-pack-keep --keep-true-parents --max-pack-size --all-progress --incremental --local --non-empty
    --filter --missing --cruft --cruft-expiration --threads --window --depth --no-write-bitmap-index
    --write-bitmap-index
  `),
  'pack-refs': rule('--all --no-prune --prune --auto --include --exclude'),
  'patch-id': rule('--stable --unstable --verbatim'),
  prune: rule('--expire -n -v --no-progress --progress'),
  'prune-packed': rule('-n -q --quiet --dry-run'),
  push: rule(
    `
    --quiet --porcelain --prune --force --force-with-lease --force-if-includes --atomic --mirror --all --tags
    --no-verify --push-option --no-signed --no-thin --thin --no-recurse-submodules --delete --no-progress
    --dry-run --no-follow-tags
  `,
    { lane: 'transport', transport: true },
  ),
  'range-diff': rule(`${DIFF} --no-dual-color --creation-factor --left-only --right-only --no-notes`, NO_END),
  'receive-pack': rule('--stateless-rpc --http-backend-info-refs --advertise-refs --skip-connectivity-check', {
    lane: 'transport',
    transport: true,
  }),
  reflog: rule('--all --expire --expire-unreachable --rewrite --updateref --stale-fix --dry-run', {
    ...NO_END,
    verbs: 'expire delete'.split(' '),
  }),
  repack: rule(`
    -a -A -d -f -l -q -n -b -k -m --geometric --write-bitmap-index --no-write-bitmap-index --write-midx
    --cruft --cruft-expiration --keep-unreachable --pack-kept-objects --unpack-unreachable --window --depth
    --threads --window-memory --quiet --keep-pack --max-pack-size --expire-to --max-cruft-size --delta-islands
  `),
  'rev-list': rule(`${REVISION} -n*`, WALK),
  'rev-parse': rule(`
    --verify --quiet -q --short --symbolic-full-name --git-dir --is-bare-repository --show-object-format
    --abbrev-ref --disambiguate --end-of-options
  `),
  shortlog: rule(`${REVISION} -s -n -e -c --group --summary --numbered --email`, WALK),
  show: rule(`${REVISION} ${DIFF}`, WALK),
  'show-ref': rule(`
    --heads --tags --head -d --dereference -s --hash --verify --quiet -q --abbrev --exists --branches
  `),
  'symbolic-ref': rule('-q --quiet -d --delete --short --no-recurse -m*'),
  'unpack-objects': rule('-n -q -r --strict --max-input-size', NO_END),
  'update-ref': rule('--stdin -z -d --no-deref --create-reflog -m*'),
  'upload-archive': rule('--http-backend-info-refs', { ...NO_END, lane: 'transport' }),
  'upload-pack': rule('--stateless-rpc --http-backend-info-refs --advertise-refs --strict --no-strict --timeout', {
    lane: 'transport',
    transport: true,
  }),
  version: rule('--build-options'),
} satisfies Record<string, SubcommandRule>;

/** The name of an allowed subcommand. */
export type Subcommand = keyof typeof SUBCOMMANDS;

/** Whether the table lets a flag through: `--name`, `--name=value`, or a short flag with its value attached. */
export function flagAllowed(rule: SubcommandRule, flag: string): boolean {
  const equals = flag.indexOf('=');
  const name = equals < 0 ? flag : flag.slice(0, equals);
  return rule.flags.has(name) || (name.length > 1 && name[1] !== '-' && rule.flags.has(`${name.slice(0, 2)}*`));
}
