import { type Answer, type Attack, statuses, type Target } from './attack.ts';

/** Texts of the maximum length, by users who may write them. */
const longest = 1_000_000;
const repeated = (text: string) => text.repeat(Math.ceil(longest / text.length)).slice(0, longest);
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 \n';
const random = (of: () => string) => Array.from({ length: longest }, of).join('');

const kinds: Readonly<Record<string, () => string>> = {
  // Almost every three characters are a new trigram for the search index.
  'random letters': () => random(() => letters.charAt(Math.random() * letters.length)),
  'one quick action per line': () => repeated('/label ~a\n'),
  'one endless quick action': () => repeated(`/label ${'~b '.repeat(100)}`).replaceAll('\n', ' '),
  'mentions and references': () => repeated('@root #1 !1 ~a %m &1 $1 '),
  'open brackets': () => repeated('[a]('),
};

interface Place {
  readonly project: number;
  readonly group: number;
}

let made: Promise<Place> | undefined;

/** Creates a project in a group, with an issue, an epic, a merge request and a snippet. */
function place(target: Target): Promise<Place> {
  made ??= (async () => {
    const { id: group } = await target.make('/api/v4/groups', { name: 'texts', path: 'texts' });
    const json = { name: 'texts', namespace_id: group, initialize_with_readme: true };
    const { id: project } = await target.make('/api/v4/projects', json);
    const at = `/api/v4/projects/${project}`;
    await target.make(`${at}/issues`, { title: 'issue' });
    await target.make(`/api/v4/groups/${group}/epics`, { title: 'epic' });
    const actions = [{ action: 'create', file_path: 'a', content: 'a' }];
    const commit = { branch: 'topic', start_branch: 'main', commit_message: 'a', actions };
    await target.make(`${at}/repository/commits`, commit);
    await target.make(`${at}/merge_requests`, { title: 'request', source_branch: 'topic', target_branch: 'main' });
    return { project, group };
  })();
  return made;
}

type Writing = (at: Place, text: string) => readonly [call: string, body: unknown];

const writings: Readonly<Record<string, Writing>> = {
  'an issue': ({ project }, description) => [`POST /api/v4/projects/${project}/issues`, { title: 'x', description }],
  'a comment': ({ project }, body) => [`POST /api/v4/projects/${project}/issues/1/notes`, { body }],
  'an epic': ({ group }, description) => [`POST /api/v4/groups/${group}/epics`, { title: 'x', description }],
  'a merge request': ({ project }, description) => [
    `PUT /api/v4/projects/${project}/merge_requests/1`,
    { description },
  ],
  'a snippet': ({ project }, content) => [
    `POST /api/v4/projects/${project}/snippets`,
    { title: 'x', description: content, visibility: 'private', files: [{ file_path: 'a.md', content }] },
  ],
  'a wiki page': ({ project }, content) => [
    `POST /api/v4/projects/${project}/wikis`,
    { title: `x ${Math.random()}`, content },
  ],
};

const attack = (thing: string, kind: string, text: () => string, writing: Writing): Attack => {
  let [at, written]: [Place | undefined, string] = [undefined, ''];
  return {
    item: 2,
    name: `${thing} of a megabyte: ${kind}`,
    async prepare(target) {
      at = await place(target);
      written = text();
      const [call, body] = writing(at, 'short');
      await target.asRoot(call, body);
    },
    async run(target) {
      if (!at) throw new Error('prepare() has not run');
      const answers: Answer[] = [];
      for (let times = 0; times < 2; times += 1) answers.push(await target.asRoot(...writing(at, written)));
      return statuses(answers, 200, 201, 202, 400, 413, 422, 429);
    },
  };
};

export const textAttacks: readonly Attack[] = Object.entries(writings).flatMap(([thing, writing]) =>
  Object.entries(kinds).map(([kind, text]) => attack(thing, kind, text, writing)),
);
