import { type Attack, statuses, type Target } from './attack.ts';

const lines = (count: number, line: (n: number) => string) => Array.from({ length: count }, (_, n) => line(n)).join('');
const variables = lines(50, (n) => `    V${n}: value ${n}\n`);

/** Short configurations that expand to large ones, or that require many comparisons. */
const files: Readonly<Record<string, string>> = {
  'two thousand jobs that extend one with fifty variables': `.base:\n  script: x\n  variables:\n${variables}${lines(
    2000,
    (n) => `j${n}:\n  extends: .base\n`,
  )}`,
  'nine thousand jobs with two mistakes each': lines(
    9000,
    (n) => `j${n}:\n  script: x\n  unknown${n}: 1\n  image: [1]\n`,
  ),
  'eight thousand jobs, each two hundred times': lines(8000, (n) => `j${n}: {script: x, parallel: 200}\n`),
  'nine thousand jobs in as many stages': `stages: [${lines(9000, (n) => `s${n},`)}]\n${lines(
    9000,
    (n) => `j${n}: {script: x, stage: s${n}}\n`,
  )}`,
  'five thousand jobs in undefined stages, with five thousand defined': `stages: [${lines(5000, (n) => `s${n},`)}]\n${lines(
    5000,
    (n) => `j${n}: {script: x, stage: t${n}}\n`,
  )}`,
  'one base a hundred thousand times': `.b: {variables: {${lines(500, (n) => `V${n}: x,`)}}}\nj:\n  script: x\n  extends: [${'.b,'.repeat(100_000)}]\n`,
  'five thousand references to two hundred lines': `.b: {s: [${lines(200, (n) => `l${n},`)}]}\n${lines(
    5000,
    (n) => `j${n}: {script: [!reference [.b, s]]}\n`,
  )}`,
};

let project: Promise<number> | undefined;

function place(target: Target): Promise<number> {
  project ??= target
    .make('/api/v4/projects', { name: 'configurations', initialize_with_readme: true })
    .then(({ id }) => id);
  return project;
}

const lint = (name: string, content: string): Attack => {
  let id = 0;
  return {
    item: 4,
    name: `lint of ${name}`,
    loop: 500,
    async prepare(target) {
      id = await place(target);
    },
    async run(target) {
      return statuses([await target.asRoot(`POST /api/v4/projects/${id}/ci/lint?include_jobs=true`, { content })], 200);
    },
  };
};

const push = (name: string, content: string): Attack => {
  let id = 0;
  return {
    item: 4,
    name: `a pipeline of ${name}`,
    loop: 500,
    async prepare(target) {
      const branch = `b${Math.random()}`;
      id = await place(target);
      const actions = [{ action: 'create', file_path: '.gitlab-ci.yml', content }];
      const commit = { branch, start_branch: 'main', commit_message: '[skip ci] x', actions };
      await target.make(`/api/v4/projects/${id}/repository/commits`, commit);
      await target.asRoot(`PUT /api/v4/projects/${id}`, { default_branch: branch });
    },
    async run(target) {
      const { default_branch: ref } = JSON.parse((await target.asRoot(`GET /api/v4/projects/${id}`)).text) as {
        default_branch: string;
      };
      return statuses([await target.asRoot(`POST /api/v4/projects/${id}/pipeline`, { ref })], 201, 400);
    },
  };
};

/** Attacks with CI configurations, by users who may push. */
export const configurationAttacks: readonly Attack[] = Object.entries(files).flatMap(([name, content]) => [
  lint(name, content),
  push(name, content),
]);
