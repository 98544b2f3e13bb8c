import { type Answer, type Attack, statuses, type Target } from './attack.ts';

let made: Promise<readonly [commits: number, issues: number]> | undefined;

/** Creates a project for the commits, and one for concurrent writes. */
function place(target: Target): Promise<readonly [commits: number, issues: number]> {
  const make = async (name: string) =>
    (await target.make('/api/v4/projects', { name, initialize_with_readme: true })).id;
  made ??= (async () => [await make('large commits'), await make('beside large commits')] as const)();
  return made;
}

/** Maximum latency of concurrent writes by other users. */
const longestWrite = 2000;

const kinds: Readonly<Record<string, (n: number) => Record<string, unknown>>> = {
  'new files': (n) => ({ action: 'create', file_path: `a/${n % 100}/${n}`, content: `${n}` }),
  'files in separate directories': (n) => ({ action: 'create', file_path: `b/${n}/${n}/${n}`, content: `${n}` }),
};

const attack = (kind: string, count: number, action: (n: number) => Record<string, unknown>): Attack => {
  let [commits, issues] = [0, 0];
  return {
    item: 5,
    name: `a commit of ${count} actions: ${kind}`,
    async prepare(target) {
      [commits, issues] = await place(target);
    },
    async run(target) {
      const body = { branch: `b${Math.random()}`, start_branch: 'main', commit_message: '[skip ci] x' };
      const actions = Array.from({ length: count }, (_, n) => action(n));
      let over = false;
      const commitRequest = target
        .asRoot(`POST /api/v4/projects/${commits}/repository/commits`, { ...body, actions })
        .finally(() => {
          over = true;
        });
      let slowest = 0;
      const answers: Answer[] = [];
      while (!over) {
        const startedAt = performance.now();
        answers.push(await target.asRoot(`POST /api/v4/projects/${issues}/issues`, { title: 'x' }));
        slowest = Math.max(slowest, performance.now() - startedAt);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const what = `${statuses([await commitRequest], 201, 400, 413)}; issues meanwhile: ${statuses(answers, 201)}`;
      if (slowest > longestWrite) throw new Error(`an issue took ${Math.round(slowest)} ms; ${what}`);
      return `${what}, slowest ${Math.round(slowest)} ms`;
    },
  };
};

/** Commits with the maximum number of actions, with concurrent writes. */
export const commitAttacks: readonly Attack[] = Object.entries(kinds).map(([kind, action]) =>
  attack(kind, 20_000, action),
);
