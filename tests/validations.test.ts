import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from './support/cast.ts';
import { forEachEngine } from './support/engines.ts';
import { startTestServer, type TestServer } from './support/server.ts';

const pathRules = {
  plain: "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.",
  strict:
    "can only include non-accented letters, digits, '_', '-' and '.'. It must not start with '-', '_', or '.', nor end with '-', '_', '.', '.git', or '.atom'.",
};
const taken = ['has already been taken'];
const user = { email: 'new@example.com', name: 'New', username: 'newcomer', password: 'long enough 4 you' };
const wrongly = (map: object) => ({ message: map });

/**
 * Rejected requests: call, parameters and the complete response. Words in capitals stand for IDs of the test objects.
 */
const refusals: [call: string, json: object, status: number, body: object][] = [
  // Users
  ['POST /users', { ...user, email: 'TAKEN@example.com' }, 409, { message: 'Email has already been taken' }],
  ['POST /users', { ...user, username: 'Holder' }, 409, { message: 'Username has already been taken' }],
  ['POST /users', { ...user, username: 'place' }, 400, wrongly({ username: taken })],
  [
    'POST /users',
    { ...user, password: 'short' },
    400,
    wrongly({ password: ['is too short (minimum is 8 characters)'] }),
  ],
  ['POST /users', { ...user, username: 'a' }, 400, wrongly({ username: ['is too short (minimum is 2 characters)'] })],
  ['POST /users', { ...user, username: 'admin' }, 400, wrongly({ username: ['admin is a reserved name'] })],
  ['POST /users', { ...user, email: 'nonsense' }, 400, wrongly({ email: ['is invalid'] })],
  [
    'POST /users',
    { ...user, projects_limit: -1 },
    400,
    wrongly({ projects_limit: ['must be greater than or equal to 0'] }),
  ],
  [
    'POST /users',
    { ...user, bio: 'x'.repeat(256) },
    400,
    wrongly({ bio: ['is too long (maximum is 255 characters)'] }),
  ],
  [
    'POST /users',
    { email: user.email, name: user.name, username: user.username },
    400,
    {
      error: 'password, reset_password, force_random_password are missing, at least one parameter must be provided',
    },
  ],
  ['POST /users', { name: 'New', password: user.password }, 400, { error: 'email is missing, username is missing' }],
  ['PUT /users/HOLDER', { email: 'root@example.com', name: '' }, 400, wrongly({ name: ["can't be blank"] })],
  ['PUT /users/HOLDER', { username: 'root' }, 409, { message: 'Username has already been taken' }],
  [
    'PUT /users/HOLDER',
    { public_email: 'not@mine.example' },
    400,
    wrongly({ public_email: ['is not an email you own'] }),
  ],
  // Groups
  ['POST /groups', { name: 'New' }, 400, { error: 'path is missing' }],
  [
    'POST /groups',
    { name: 'New', path: 'place' },
    400,
    { message: 'Failed to save group {:path=>["has already been taken"]}' },
  ],
  [
    'POST /groups',
    { name: 'New', path: '-bad' },
    400,
    { message: `Failed to save group {:path=>["${pathRules.plain}", "${pathRules.strict}"]}` },
  ],
  ['PUT /groups/PLACE', { path: 'holder' }, 400, wrongly({ path: taken })],
  ['PUT /groups/PLACE', { name: '' }, 400, wrongly({ name: ["can't be blank"] })],
  [
    'PUT /groups/PLACE',
    { description: 'x'.repeat(2001) },
    400,
    wrongly({ description: ['is too long (maximum is 2000 characters)'] }),
  ],
  [
    'PUT /groups/PLACE',
    { visibility: 'private' },
    400,
    wrongly({
      visibility_level: ['private is not allowed since this group contains projects with higher visibility.'],
    }),
  ],
  // Projects
  ['POST /projects', {}, 400, { error: 'name, path are missing, at least one parameter must be provided' }],
  [
    'POST /projects',
    { name: 'Thing', namespace_id: 'PLACE' },
    400,
    wrongly({ 'project_namespace.name': taken, name: taken, path: taken }),
  ],
  ['POST /projects', { name: 'x', namespace_id: 999_999 }, 400, wrongly({ namespace: ['is not valid'] })],
  [
    'POST /projects',
    { name: 'x', template_name: 'nonsense' },
    400,
    wrongly({ template_name: ["'nonsense' is unknown or invalid"] }),
  ],
  [
    'PUT /projects/THING',
    { description: 'x'.repeat(2001) },
    400,
    wrongly({ description: ['is too long (maximum is 2000 characters)'] }),
  ],
  [
    'PUT /projects/THING',
    { name: '$' },
    400,
    wrongly({
      name: [
        "can contain only letters, digits, emoji, '_', '.', '+', dashes, or spaces. It must start with a letter, digit, emoji, or '_'.",
      ],
    }),
  ],
  // Members
  ['POST /groups/PLACE/members', { user_id: 'HOLDER', access_level: 30 }, 409, { message: 'Member already exists' }],
  ['POST /groups/PLACE/members', { user_id: 999_999, access_level: 30 }, 404, { message: '404 User Not Found' }],
  [
    'POST /groups/PLACE/members',
    { user_id: 'STRANGER', access_level: 35 },
    400,
    wrongly({ access_level: ['is not included in the list'] }),
  ],
  ['POST /groups/PLACE/members', { user_id: 'STRANGER' }, 400, { error: 'access_level is missing' }],
  [
    'POST /projects/THING/members',
    { user_id: 'STRANGER', access_level: 30, expires_at: '2020-01-01' },
    400,
    wrongly({ expires_at: ['cannot be a date in the past'] }),
  ],
  [
    'PUT /groups/PLACE/members/HOLDER',
    { access_level: 35 },
    400,
    wrongly({ access_level: ['is not included in the list'] }),
  ],
  // Webhooks
  ['POST /projects/THING/hooks', { url: 'nonsense' }, 422, { error: 'Invalid url given' }],
  ['POST /projects/THING/hooks', {}, 400, { error: 'url is missing' }],
  [
    'POST /projects/THING/hooks',
    { url: 'https://example.com', push_events_branch_filter: 'a b' },
    422,
    { error: 'Invalid branch filter given' },
  ],
  ['PUT /projects/THING/hooks/HOOK', {}, 400, { error: 'No parameters provided' }],
  ['PUT /projects/THING/hooks/HOOK', { url: 'ftp://example.com' }, 422, { error: 'Invalid url given' }],
  ['POST /groups/PLACE/hooks', { url: 'nonsense' }, 422, { error: 'Invalid url given' }],
  ['POST /hooks', {}, 400, { error: 'url is missing' }],
];

forEachEngine((engine) => {
  describe('rejected requests', () => {
    let server: TestServer;
    const numbers = new Map<string, number>();

    before(async () => {
      server = await startTestServer(engine);
      const holder = await server.must('POST /users', {
        json: { ...user, email: 'taken@example.com', username: 'holder', skip_confirmation: true },
      });
      const stranger = await addUser(server, 'stranger');
      const place = await server.must('POST /groups', { json: { name: 'Place', path: 'place', visibility: 'public' } });
      const thing = await server.must('POST /projects', {
        json: { name: 'Thing', namespace_id: place.id, visibility: 'public' },
      });
      await server.must(`POST /groups/${place.id}/members`, { json: { user_id: holder.id, access_level: 30 } });
      const hook = await server.must(`POST /projects/${thing.id}/hooks`, { json: { url: 'https://example.com/hook' } });
      for (const [name, { id }] of Object.entries({ holder, stranger, place, thing, hook })) {
        numbers.set(name.toUpperCase(), id);
      }
    });

    const filled = (text: string) => text.replace(/[A-Z]{4,}/g, (word) => String(numbers.get(word) ?? word));
    const numbered = (json: object) =>
      Object.fromEntries(Object.entries(json).map(([name, value]) => [name, numbers.get(value) ?? value]));
    /** A snapshot of everything a rejected request might have changed. */
    const everything = async () => {
      const calls = ['/users', '/groups', '/projects', '/groups/PLACE', '/projects/THING', '/users/HOLDER', '/hooks'];
      const lists = [
        '/groups/PLACE/members',
        '/projects/THING/members',
        '/projects/THING/hooks',
        '/groups/PLACE/hooks',
      ];
      const seen: string[] = [];
      for (const call of [...calls, ...lists]) seen.push((await server.api(filled(`GET ${call}`))).text);
      return seen;
    };

    for (const [call, json, status, body] of refusals) {
      it(`${call} ${JSON.stringify(json).slice(0, 90)}`, async () => {
        const before = await everything();
        const answer = await server.api(filled(call), { json: numbered(json) });
        assert.deepEqual([answer.status, answer.body], [status, body]);
        assert.deepEqual(await everything(), before);
      });
    }
  });
});
