import { type Answer, type Attack, statuses, type Target } from './attack.ts';

/** Maximum length in a URL, in pagination links, and in a text by an authenticated user. */
const [inAddress, inLinks, inText] = [14_000, 3000, 500_000];

let project: Promise<number> | undefined;

/** Creates a public project. */
function place(target: Target): Promise<number> {
  project ??= target
    .make('/api/v4/projects', { name: 'runs', visibility: 'public', initialize_with_readme: true })
    .then(({ id }) => id);
  return project;
}

type Call = readonly [call: string, body?: unknown];

const run = `a${'/'.repeat(inAddress)}b`;
const anonymous: Readonly<Record<string, (id: number) => Call>> = {
  'a page': () => [`GET /${run}`],
  'a directory page': () => [`GET /root/runs/-/tree/main/${run}`],
  'a directory': (id) => [`GET /api/v4/projects/${id}/repository/tree?path=${run}`],
  // The pagination links repeat it.
  'the commits of a directory': (id) => [`GET /api/v4/projects/${id}/repository/commits?path=${run.slice(-inLinks)}`],
  'an archive of a directory': (id) => [`GET /api/v4/projects/${id}/repository/archive?path=${run}`],
  'a commit': (id) => [`GET /api/v4/projects/${id}/repository/commits?ref_name=${'^'.repeat(inLinks)}x`],
  'a badge': () => [`GET /${'badges/'.repeat(inAddress / 7)}`],
};

const lint = (id: number, content: string): Call => [`POST /api/v4/projects/${id}/ci/lint`, { content }];
const slashes = `a${'/'.repeat(inText)}b`;
const written: Readonly<Record<string, (id: number) => Call>> = {
  'an included file': (id) => lint(id, `include: "${'a'.repeat(inText)}"\n`),
  'a published directory': (id) =>
    lint(id, `pages:\n  script: x\n  pages: true\n  artifacts:\n    paths: ["${slashes}"]\n`),
  'the Jira URL': (id) => [
    `PUT /api/v4/projects/${id}/integrations/jira`,
    { url: `https://jira.example/${slashes}`, username: 'a', password: 'b' },
  ],
  'the author of a commit': (id) => [
    `POST /api/v4/projects/${id}/repository/commits`,
    {
      ...{ branch: 'main', commit_message: 'x', author_name: `a${' '.repeat(inText)}b`, author_email: 'a@b.example' },
      actions: [{ action: 'create', file_path: `a${Math.random()}`, content: 'a' }],
    },
  ],
  'a commit message that closes an issue': (id) => [
    `POST /api/v4/projects/${id}/repository/commits`,
    {
      ...{ branch: 'main', commit_message: `x\n\nCloses #1${' '.repeat(inText)}b` },
      actions: [{ action: 'create', file_path: `b${Math.random()}`, content: 'a' }],
    },
  ],
};

const attack = (name: string, isAnonymous: boolean, call: (id: number) => Call): Attack => {
  let id = 0;
  return {
    item: 3,
    name,
    anonymous: isAnonymous,
    async prepare(target) {
      id = await place(target);
    },
    async run(target) {
      const answers: Answer[] = [];
      for (let times = 0; times < 3; times += 1) {
        const [asked, body] = call(id);
        answers.push(isAnonymous ? await target.ask(asked) : await target.asRoot(asked, body));
      }
      return statuses(answers, 200, 201, 302, 400, 404, 413, 414, 422, 429);
    },
  };
};

/** Runs of one character, for which regular expressions anchored at the end take quadratic time. */
export const runAttacks: readonly Attack[] = [
  ...Object.entries(anonymous).map(([name, call]) => attack(`repeated characters in the URL of ${name}`, true, call)),
  ...Object.entries(written).map(([name, call]) => attack(`repeated characters in ${name}`, false, call)),
];
