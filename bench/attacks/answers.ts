import { generateKeyPairSync } from 'node:crypto';
import { token } from '../seed.ts';
import { type Answer, type Attack, statuses, type Target } from './attack.ts';

let count = 0;
const newName = (what: string) => `${what}-${++count}`;

interface Place {
  readonly id: number;
  readonly path: string;
}

async function project(target: Target, settings: Record<string, unknown> = {}): Promise<Place> {
  const path = newName('answers');
  const { id } = await target.make('/api/v4/projects', { name: path, path, initialize_with_readme: true, ...settings });
  return { id, path };
}

interface Person {
  readonly id: number;
  readonly username: string;
  readonly token: string;
}

async function person(target: Target): Promise<Person> {
  const username = newName('somebody');
  const account = { username, name: username, email: `${username}@example.com`, skip_confirmation: true };
  const { id } = await target.make('/api/v4/users', { ...account, force_random_password: true });
  const expires_at = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const made = await target.asRoot(`POST /api/v4/users/${id}/personal_access_tokens`, {
    name: 'x',
    scopes: ['api'],
    expires_at,
  });
  return { id, username, token: (JSON.parse(made.text) as { token: string }).token };
}

function as({ token: secret }: Pick<Person, 'token'>, target: Target, call: string, body?: unknown): Promise<Answer> {
  const headers = { 'private-token': secret, 'content-type': 'application/json' };
  return target.ask(call, { headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

/** A call with its expected response: the status, and texts that it must or must not contain. */
interface Expected {
  readonly call: string;
  readonly body?: unknown;
  readonly status: number;
  readonly contains?: RegExp;
  readonly mustNotContain?: RegExp;
  readonly by?: Pick<Person, 'token'>;
}

const root = { token };

async function expectAll(target: Target, all: readonly Expected[]): Promise<string> {
  const answers: Answer[] = [];
  for (const { call, body, status, contains, mustNotContain, by = root } of all) {
    const answer = await as(by, target, call, body);
    const responseText = `${call}: ${answer.status} ${answer.text.slice(0, 300)}`;
    if (answer.status !== status) throw new Error(`${responseText} instead of ${status}`);
    if (contains && !contains.test(answer.text)) throw new Error(`${responseText} does not say ${contains}`);
    if (mustNotContain?.test(answer.text)) throw new Error(`${responseText} says ${mustNotContain}`);
    answers.push(answer);
  }
  return statuses(answers, ...new Set(all.map(({ status }) => status)));
}

const answers = (item: number, name: string, expected: (target: Target) => Promise<readonly Expected[]>): Attack => ({
  item,
  name,
  run: async (target) => expectAll(target, await expected(target)),
});

async function invitations(target: Target): Promise<readonly Expected[]> {
  const { id } = await project(target);
  const member = await person(target);
  const call = `POST /api/v4/projects/${id}/invitations`;
  const bot = await target.asRoot(`POST /api/v4/projects/${(await project(target)).id}/access_tokens`, {
    name: 'bot',
    scopes: ['api'],
    expires_at: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10),
  });
  const { user_id } = JSON.parse(bot.text) as { user_id: number };
  const { email } = JSON.parse((await target.asRoot(`GET /api/v4/users/${user_id}`)).text) as { email: string };
  const success = { status: 201, contains: /"status":"success"/ };
  return [
    { call, body: { email: `${member.username}@example.com`, access_level: 20 }, ...success },
    { call, body: { email: `${member.username}@example.com`, access_level: 30 }, ...success },
    { call: `GET /api/v4/projects/${id}/members/${member.id}`, status: 200, contains: /"access_level":30/ },
    { call, body: { email: 'new@example.org', access_level: 20 }, ...success },
    { call, body: { email: 'new@example.org', access_level: 30 }, ...success },
    {
      call,
      body: { email: ['x@example.org', 'none'], access_level: 30 },
      status: 400,
      contains: /invalid email address/,
    },
    { call, body: { email: '', access_level: 30 }, status: 400, contains: /Must provide either email or user_id/ },
    { call, body: { email, access_level: 30 }, status: 201, contains: /project bots cannot be added/ },
    { call: `PUT /api/v4/projects/${id}/invitations/new@example.org`, body: {}, status: 400 },
    {
      call: `GET /api/v4/projects/${id}/invitations`,
      status: 200,
      contains: /new@example/,
      mustNotContain: /x@example/,
    },
  ];
}

async function sharedKey(target: Target): Promise<readonly Expected[]> {
  const [one, two, maintainer] = [await project(target), await project(target), await person(target)];
  const key = sshKey();
  const made = await target.make(`/api/v4/projects/${one.id}/deploy_keys`, { title: 'shared', key });
  await target.asRoot(`POST /api/v4/projects/${two.id}/deploy_keys/${made.id}/enable`);
  await target.make(`/api/v4/projects/${two.id}/members`, { user_id: maintainer.id, access_level: 40 });
  const call = `/api/v4/projects/${two.id}/deploy_keys/${made.id}`;
  return [
    { call: `PUT ${call}`, body: { title: 'taken over' }, by: maintainer, status: 200, mustNotContain: /taken over/ },
    { call: `GET /api/v4/projects/${one.id}/deploy_keys/${made.id}`, status: 200, contains: /"title":"shared"/ },
  ];
}

function sshKey(): string {
  const { publicKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const part = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  return `ssh-ed25519 ${Buffer.concat([part(Buffer.from('ssh-ed25519')), part(raw)]).toString('base64')}`;
}

const maintainersOnly =
  /"(ci_restrict_pipeline_cancellation_role|web_based_commit_signing_enabled|runners_token|ci_job_token_scope_enabled)"/;
const developersOnly = /"(secret_push_protection_enabled|pre_receive_secret_detection_enabled)"/;

async function fieldsByRole(target: Target): Promise<readonly Expected[]> {
  const { id, path } = await project(target);
  const group = await target.make('/api/v4/groups', { name: newName('g'), path: newName('g'), visibility: 'public' });
  const [guest, developer] = [await person(target), await person(target)];
  for (const [user, level] of [
    [guest, 10],
    [developer, 30],
  ] as const) {
    await target.make(`/api/v4/projects/${id}/members`, { user_id: user.id, access_level: level });
  }
  await target.make(`/api/v4/groups/${group.id}/members`, { user_id: developer.id, access_level: 40 });
  await target.asRoot(`PUT /api/v4/projects/${id}`, { merge_requests_template: 'a template' });
  const inOne = (by: Pick<Person, 'token'>, mustNotContain: RegExp): Expected[] => [
    { call: `GET /api/v4/projects/${id}`, by, status: 200, mustNotContain },
    { call: `GET /api/v4/projects?search=${path}`, by, status: 200, mustNotContain },
  ];
  const ownersOnly = /duo_features_enabled|web_based_commit_signing_enabled/;
  return [
    ...inOne(guest, maintainersOnly),
    ...inOne(guest, developersOnly),
    ...inOne(guest, /merge_requests_template/),
    ...inOne(developer, maintainersOnly),
    { call: `GET /api/v4/groups/${group.id}`, by: developer, status: 200, mustNotContain: ownersOnly },
    { call: `GET /api/v4/groups/${group.id}`, status: 200, contains: ownersOnly },
  ];
}

async function settings(target: Target): Promise<string> {
  const call = 'PUT /api/v4/application/settings';
  const known = Object.keys(JSON.parse((await target.asRoot('GET /api/v4/application/settings')).text) as object);
  if (known.length < 400) throw new Error(`only ${known.length} settings`);
  const beside = await target.asRoot(call, { max_pages_size: 8, max_page_size: 9 });
  const trace = beside.headers.get('x-ignored-parameters');
  if (trace !== 'max_page_size') throw new Error(`a misspelt name changed ${trace}`);
  const refused = await expectAll(target, [
    { call, body: { nonsense: 1 }, status: 400 },
    { call, body: { deletion_adjourned_period: 91 }, status: 400, contains: /less than or equal to 90/ },
    { call, body: { default_projects_limit: 'many' }, status: 400, contains: /is invalid/ },
    { call, body: { default_project_visibility: 'secret' }, status: 400 },
    { call, body: { enabled_git_access_protocol: 'ftp' }, status: 400 },
  ]);
  return `${known.length} known, a misspelt one reported, invalid values ${refused}`;
}

async function textsOfCode(target: Target): Promise<readonly Expected[]> {
  const { id, path } = await project(target);
  const at = `/api/v4/projects/${id}`;
  const file = { branch: 'main', commit_message: 'x', content: 'x' };
  const taken = await target.asRoot(`POST ${at}/fork`, { path: `${path}-fork`, name: 'A name of its own' });
  if (taken.status !== 201) throw new Error(taken.text);
  return [
    { call: `POST ${at}/push_rule`, body: {}, status: 400, contains: /at least one parameter must be provided/ },
    { call: `PUT ${at}/push_rule`, body: {}, status: 400, contains: /at least one parameter must be provided/ },
    { call: `POST ${at}/repository/files/a`, body: { ...file, execute_filemode: 'yes' }, status: 400 },
    { call: `POST ${at}/repository/files/a`, body: { ...file, execute_filemode: 1 }, status: 400 },
    { call: `POST ${at}/repository/files/a`, body: { ...file, execute_filemode: true }, status: 201 },
    { call: `PUT ${at}/releases/none`, body: { name: 'x' }, status: 403 },
    { call: `DELETE ${at}/releases/none`, status: 403 },
    {
      call: `POST ${at}/fork`,
      body: { path: `${path}-fork`, name: 'Another name' },
      status: 409,
      contains: /path/i,
      mustNotContain: /"name"|Name has/,
    },
    {
      call: `PUT ${at}`,
      body: { container_expiration_policy_attributes: { name_regex_keep: '[' } },
      status: 400,
    },
    { call: `GET ${at}/events?action=nonsense`, status: 400, contains: /action does not have a valid value/ },
    { call: `GET ${at}`, status: 200, contains: /"service_desk_address"/ },
  ];
}

async function textsOfPeople(target: Target): Promise<readonly Expected[]> {
  const somebody = await person(target);
  const user = `/api/v4/users/${somebody.id}`;
  return [
    { call: 'GET /api/v4/personal_access_tokens?user_id=999999', status: 404, contains: /User Not Found/ },
    { call: 'GET /api/v4/personal_access_tokens?user_id=x', status: 400, contains: /user_id is invalid/ },
    { call: `GET /api/v4/personal_access_tokens?user_id=1`, by: somebody, status: 401 },
    { call: `GET /api/v4/personal_access_tokens?user_id=${somebody.id}`, by: somebody, status: 200 },
    { call: 'GET /api/v4/keys', status: 400, contains: /fingerprint is missing/ },
    { call: 'GET /api/v4/keys?fingerprint=abc', status: 400, contains: /Failed to return the key/ },
    { call: 'GET /api/v4/keys/999999', status: 404, contains: /404 Key Not Found/ },
    { call: `POST ${user}/reject`, status: 409, contains: /User does not have a pending request/ },
    {
      call: `POST ${user}/approve`,
      status: 409,
      contains: /The user you are trying to approve is not pending approval/,
    },
    { call: `PUT ${user}`, body: { website_url: 'javascript:alert(1)' }, status: 400, contains: /website_url/ },
    {
      call: `PUT ${user}`,
      body: { organization: '<b>bold</b><script>alert(1)</script>', website_url: 'https://example.com' },
      status: 200,
      mustNotContain: /<script|<b>/,
    },
    { call: `GET /api/v4/namespaces/${somebody.username}`, by: somebody, status: 200, contains: /"plan":.*"trial":/ },
    {
      call: `GET /api/v4/namespaces/${somebody.username}`,
      by: somebody,
      status: 200,
      contains: /billable_members_count/,
    },
  ];
}

async function notesAndUploads(target: Target): Promise<string> {
  const { id } = await project(target);
  const at = `/api/v4/projects/${id}`;
  await target.make(`${at}/issues`, { title: 'x' });
  await target.make(`${at}/issues/1/notes`, { body: 'hello' });
  const form = new FormData();
  form.set('file', new Blob(['x']), 'x.txt');
  const uploaded = await target.ask(`POST ${at}/uploads`, { headers: { 'private-token': token }, body: form });
  if (uploaded.status !== 201) throw new Error(`upload: ${uploaded.status}`);
  const [upload] = JSON.parse((await target.asRoot(`GET ${at}/uploads`)).text) as [{ uploaded_by: object }];
  const fields = Object.keys(upload.uploaded_by).sort().join(' ');
  if (fields !== 'id name public_email username') throw new Error(`uploaded_by has ${fields}`);
  const responseText = await expectAll(target, [
    { call: `GET ${at}/events?action=commented`, status: 200, contains: /"noteable_iid":1/ },
    { call: `GET ${at}/events?action=commented`, status: 200, contains: /"commands_changes":/ },
  ]);
  return `${responseText}; uploaded_by: ${fields}`;
}

/** Findings about single responses: visibility and error messages. */
export const answerAttacks: readonly Attack[] = [
  answers(12, 'invitations of members, invited users, invalid addresses and bots', invitations),
  answers(13, 'a maintainer of one of two projects renames their deploy key', sharedKey),
  answers(13, 'fields of projects and groups visible to lower roles', fieldsByRole),
  { item: 14, name: 'settings: all, misspelt, out of range', run: settings },
  answers(15, 'status codes and error texts of code APIs', textsOfCode),
  answers(15, 'status codes and error texts of user APIs', textsOfPeople),
  { item: 15, name: 'note events, and authors of uploads', run: notesAndUploads },
];
