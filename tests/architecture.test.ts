import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, it } from 'node:test';

const root = join(import.meta.dirname, '..');
const files = globSync('src/**/*.ts', { cwd: root }).sort();
const textOf = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));

/** The relative imports of a source file. Type imports count, because they are dependencies, too. */
function importsOf(file: string, pattern: RegExp): string[] {
  const statements = (textOf.get(file) ?? '').matchAll(pattern);
  return [...statements].map((match) => normalize(join(dirname(file), match[1] ?? '')));
}
const everyImport = /^(?:import|export)\s[^;]*?from\s+'(\.[^']+)'/gms;
const graph = new Map(files.map((file) => [file, importsOf(file, everyImport)]));
const arrows = [...graph].flatMap(([from, targets]) => targets.map((to) => ({ from, to })));
const shown = (list: readonly { from: string; to: string }[]) => list.map(({ from, to }) => `${from} -> ${to}`);

/** Domain layers: a domain may import from lower layers only, not from others of the same layer. */
const heights: Readonly<Record<string, number>> = {
  config: 0,
  platform: 0,
  migrations: 0,
  access: 1,
  people: 2,
  namespaces: 3,
  code: 4,
  planning: 5,
  ci: 5,
  review: 6,
  integrations: 7,
  'error-tracking': 7,
  imports: 7,
  instance: 7,
  runner: 7,
  web: 8,
  graphql: 8,
};
const domainOf = (file: string) => file.split('/')[1] ?? '';
/** Files directly in `src/` compose the server: they may import anything, and nothing may import them. */
const heightOf = (file: string) => (file.split('/').length === 2 ? 9 : heights[domainOf(file)]);

const domains = [
  'instance',
  'people',
  'namespaces',
  'code',
  'planning',
  'ci',
  'review',
  'integrations',
  'error-tracking',
  'imports',
];
/** The area of a file, e.g. `planning/labels`. */
function areaOf(file: string): string | undefined {
  const [, domain = '', area = '', ...rest] = file.split('/');
  return domains.includes(domain) && rest.length > 0 ? `${domain}/${area}` : undefined;
}

/** The files of areas, i.e. everything outside of the shared platform. */
const areaFiles = files.filter((file) => areaOf(file) !== undefined);

/** The areas that write the tables declared in `access`, which reads them for authorization. */
const writers: Readonly<Record<string, string>> = {
  users: 'people/users',
  emails: 'people/users',
  access_tokens: 'people/tokens',
  sessions: 'people/sessions',
  oauth_tokens: 'people/oauth',
  namespaces: 'namespaces/groups',
  namespace_ancestors: 'namespaces/groups',
  group_shares: 'namespaces/groups',
  projects: 'namespaces/projects',
  project_shares: 'namespaces/projects',
  members: 'namespaces/members',
  member_roles: 'namespaces/member-roles',
  member_invitations: 'namespaces/members',
  access_requests: 'namespaces/members',
  application_settings: 'instance/settings',
  broadcast_messages: 'instance/broadcast-messages',
  job_token_allowlist: 'ci/job-tokens',
};

describe('architecture', () => {
  it('domains only depend on lower layers', () => {
    const unknown = files.filter((file) => heightOf(file) === undefined);
    assert.deepEqual(unknown, []);
    const against = arrows.filter(({ from, to }) => {
      if (domainOf(from) === domainOf(to) || domainOf(from) === 'migrations' || heightOf(from) === 9) return false;
      const [above = 0, below = 0] = [heightOf(from), heightOf(to)];
      if (above === 0 && below === 0) return false;
      return below >= above;
    });
    assert.deepEqual(shown(against), []);
  });

  it('areas only import the public.ts of other areas', () => {
    const inward = arrows.filter(({ from, to }) => {
      const area = areaOf(to);
      if (area === undefined || area === areaOf(from) || to.endsWith('/public.ts')) return false;
      return !(from === 'src/areas.ts' && to === `src/${area}/area.ts`);
    });
    assert.deepEqual(shown(inward), []);
  });

  it('web pages only show what the API returns', () => {
    // The API has no operations for signing in, changing or deleting one's own account, accepting terms and authorizing
    // OAuth applications, and Markdown is rendered for anonymous users. The position of task list checkboxes is a rule
    // about texts.
    const allowed =
      /^src\/(web|access|platform|config)\/|^src\/(people\/(sessions|own-account|oauth|openid|saml|sign-in-providers|terms)|planning\/markdown)\/public\.ts$|^src\/planning\/task-list\.ts$/;
    // Discussions of public projects: the API requires authentication for them, as its clients expect.
    const open = 'src/web/planning/open-threads.ts';
    const closed = arrows.filter(({ from, to }) => from.startsWith('src/web/') && from !== open && !allowed.test(to));
    assert.deepEqual(shown(closed), []);
    const speaking = files.filter(
      (file) =>
        file.startsWith('src/web/') &&
        /\.(selectFrom|insertInto|updateTable|deleteFrom)\(/.test(textOf.get(file) ?? ''),
    );
    assert.deepEqual(speaking, []);
  });

  it('GraphQL only returns what the API returns', () => {
    // REST paths of global IDs, and Markdown rendered for the caller.
    const allowed: readonly (readonly [from: RegExp, to: RegExp])[] = [
      [/^src\/graphql\//, /^src\/(graphql|access|platform|config)\//],
      [
        /^src\/graphql\/api-paths\.ts$/,
        /^src\/(planning\/(issues|iterations|notes|snippets)|review\/merge-requests)\/public\.ts$/,
      ],
      [/^src\/graphql\/engine\/markdown\.ts$/, /^src\/planning\/markdown\/public\.ts$/],
      // Authors by e-mail address, and emoji reactions, which no API response contains.
      [/^src\/graphql\/engine\/authors\.ts$/, /^src\/people\/users\/public\.ts$/],
      [/^src\/graphql\/notes\/awards\.ts$/, /^src\/planning\/emoji\/public\.ts$/],
    ];
    const closed = arrows.filter(
      ({ from, to }) =>
        from.startsWith('src/graphql/') && !allowed.some(([who, whom]) => who.test(from) && whom.test(to)),
    );
    assert.deepEqual(shown(closed), []);
    const speaking = files.filter(
      (file) =>
        file.startsWith('src/graphql/') &&
        /\.(selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql`/.test(textOf.get(file) ?? ''),
    );
    assert.deepEqual(speaking, []);
  });

  it('modules have no circular dependencies', () => {
    const done = new Set<string>();
    const visit = (file: string, path: readonly string[]): void => {
      const start = path.indexOf(file);
      assert.equal(start, -1, `a circle: ${[...path.slice(Math.max(start, 0)), file].join(' -> ')}`);
      if (done.has(file)) return;
      for (const target of graph.get(file) ?? []) visit(target, [...path, file]);
      done.add(file);
    };
    for (const file of graph.keys()) visit(file, []);
  });

  it('areas use SQL in stores and lists only', () => {
    const speaking = areaFiles.filter(
      (file) =>
        !/\/(store|list|list-[a-z-]+|[a-z-]+-store|[a-z-]+-list)\.ts$/.test(file) &&
        /\.(selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql`|\bsql</.test(textOf.get(file) ?? ''),
    );
    assert.deepEqual(speaking, []);
  });

  it('each table is written by one area', () => {
    const declared = new Map<string, string>();
    for (const file of files.filter((name) => name.endsWith('/tables.ts'))) {
      const [, names = ''] = /interface Tables \{([^}]*)\}/.exec(textOf.get(file) ?? '') ?? [];
      for (const [, table = ''] of names.matchAll(/^\s*(\w+):/gm)) declared.set(table, areaOf(file) ?? domainOf(file));
    }
    const foreign = areaFiles.flatMap((file) => {
      const written = (textOf.get(file) ?? '').matchAll(/\.(?:insertInto|updateTable|deleteFrom)\('(\w+)/g);
      const tables = [...new Set([...written].map((match) => match[1] ?? ''))];
      const allowed = (table: string) => {
        const owner = writers[table] ?? declared.get(table);
        return owner === areaOf(file);
      };
      return tables.filter((table) => !allowed(table)).map((table) => `${file} writes ${table}`);
    });
    assert.deepEqual(foreign, []);
  });

  it('routes have literal paths, so that endpoints can be found by text search', () => {
    const hidden = areaFiles.filter(
      (file) => /routes\.ts$/.test(file) && /^\s*path(: (?!')|,)/m.test(textOf.get(file) ?? ''),
    );
    assert.deepEqual(hidden, []);
  });

  it('areas and migrations are listed once, also after a merge', () => {
    const twice = ['src/areas.ts', 'src/migrations/list.ts'].flatMap((file) => {
      const lines = (textOf.get(file) ?? '').split('\n').filter((line) => /^( {2}\w+,|import .*;)$/.test(line));
      return lines.filter((line, index) => lines.indexOf(line) !== index);
    });
    assert.deepEqual(twice, []);
  });

  it('trailing runs are only trimmed by platform/trim.ts, because regular expressions need quadratic time for it', () => {
    // A repeated character or character class before `$` at the start of an alternative.
    const runAtEnd = /(?<!\\)[/|](?:\[(?:[^\]\\\n]|\\.)*\]|\\.|[^\\\s()[\]|/*+?^$'"`])[+*]\$[/|]/;
    const found = files.filter((file) => runAtEnd.test((textOf.get(file) ?? '').replace(/^\s*(?:\*|\/\/).*$/gm, '')));
    assert.deepEqual(found, []);
  });

  it('only platform/git starts processes, and only platform/egress accesses the network', () => {
    const using = (pattern: RegExp) =>
      files.filter((file) => pattern.test(textOf.get(file) ?? '')).map((file) => relative('src', file));
    assert.deepEqual(
      using(/from 'node:child_process'/).filter((file) => !/^(platform\/git|runner)\//.test(file)),
      [],
    );
    assert.deepEqual(
      using(/from 'undici'|\bfetch\(\s*['"`]?http/).filter((file) => !/^(platform\/egress|runner)\//.test(file)),
      [],
    );
  });
});
