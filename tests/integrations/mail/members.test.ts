import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { notifyOfEndingMemberships } from '../../../src/integrations/mail/members.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { emailsTo } from '../incoming-mail/post.ts';

/** Creates a user with a token. */
async function addPerson(server: TestServer, username: string) {
  const name = username.replace(/^./, (letter) => letter.toUpperCase());
  const account = { username, name, email: `${username}@example.com`, password: 'long enough 4 you' };
  const { id } = await server.must('POST /users', { json: { ...account, skip_confirmation: true } });
  const { token } = await server.must(`POST /users/${id}/personal_access_tokens`, {
    json: { name: 'test', scopes: ['api'] },
  });
  return { id: id as number, token: token as string };
}
type Person = Awaited<ReturnType<typeof addPerson>>;

const day = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString().slice(0, 10);

forEachEngine((engine) => {
  describe('emails about access', () => {
    let server: TestServer;
    let owner: Person;
    let guest: Person;
    let group: string;
    let project: string;

    /** Returns the subjects and first lines of the emails that a user got since the last call. */
    const known = new Set<string>();
    const newsOf = async (email: string) => {
      await server.running.services.queue.drain();
      const fresh = (await emailsTo(server, email)).filter(({ raw }) => !known.has(raw));
      for (const { raw } of fresh) known.add(raw);
      return fresh.map(({ subject, text }) => `${subject}: ${text.split('\n')[0]}`).sort();
    };
    const toGuest = () => newsOf('guest@example.com');
    const toOwner = () => newsOf('owner@example.com');

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      guest = await addPerson(server, 'guest');
      const own = { token: owner.token };
      const made = await server.must('POST /groups', {
        json: { name: 'Team', path: 'team', visibility: 'public' },
        ...own,
      });
      group = `/groups/${made.id}`;
      const inside = { name: 'Tool', namespace_id: made.id, visibility: 'public' };
      project = `/projects/${(await server.must('POST /projects', { json: inside, ...own })).id}`;
      await toGuest();
      await toOwner();
    });

    it('tell new members of projects and groups, but nobody of what they did themselves', async () => {
      const json = { user_id: guest.id, access_level: 20, expires_at: inDays(20) };
      await server.must(`POST ${project}/members`, { json, token: owner.token });
      assert.deepEqual(await toGuest(), [
        `Access to the project Team / Tool was granted: Owner (@owner) gave you the role Reporter in the project Team / Tool until ${inDays(20)}.`,
      ]);
      await server.must(`POST ${group}/members`, { json: { user_id: guest.id, access_level: 10 } });
      assert.deepEqual(await toGuest(), [
        'Access to the group Team was granted: Administrator (@root) gave you the role Guest in the group Team.',
      ]);
      assert.deepEqual(await toOwner(), []);
    });

    it('tell of another role and of another expiry date, and not of a change without effect', async () => {
      const change = (json: object) => server.must(`PUT ${project}/members/${guest.id}`, { json, token: owner.token });
      await change({ access_level: 30 });
      assert.deepEqual(await toGuest(), [
        `Your role in the project Team / Tool was changed: Owner (@owner) gave you the role Developer in the project Team / Tool until ${inDays(20)}.`,
      ]);
      await change({ access_level: 30, expires_at: inDays(7) });
      assert.deepEqual(await toGuest(), [
        `The expiry date of your membership in the project Team / Tool was changed: You are a member of the project Team / Tool until ${inDays(7)}.`,
      ]);
      await change({ access_level: 30, expires_at: inDays(7) });
      assert.deepEqual(await toGuest(), []);
    });

    it('warn a week before a membership ends', async () => {
      await notifyOfEndingMemberships(server.running.services, Date.now() - day);
      assert.deepEqual(await toGuest(), []);
      await notifyOfEndingMemberships(server.running.services);
      assert.deepEqual(await toGuest(), [
        `Your membership in the project Team / Tool ends in 7 days: You are a member of the project Team / Tool until ${inDays(7)}.`,
      ]);
      const json = { access_level: 30, expires_at: null };
      await server.must(`PUT ${project}/members/${guest.id}`, { json, token: owner.token });
      assert.match((await toGuest()).join(), /no longer expires/);
    });

    it('respect disabled notifications and disabled emails', async () => {
      const levels = ['disabled', 'global'];
      for (const level of levels) {
        await server.must(`PUT ${project}/notification_settings`, { json: { level }, token: guest.token });
        await server.must(`PUT ${project}`, { json: { emails_enabled: level === 'disabled' }, token: owner.token });
        const json = { access_level: level === 'disabled' ? 20 : 30 };
        await server.must(`PUT ${project}/members/${guest.id}`, { json, token: owner.token });
        assert.deepEqual(await toGuest(), [], level);
      }
      await server.must(`PUT ${project}`, { json: { emails_enabled: true }, token: owner.token });
    });

    it('ask those who decide about an access request, and tell its outcome', async () => {
      const asker = await addPerson(server, 'asker');
      const own = { token: asker.token };
      const toAsker = () => newsOf('asker@example.com');
      await toAsker();
      await server.must(`POST ${project}/access_requests`, own);
      const request =
        'Request to join the project Team / Tool: Asker (@asker) asked for access to the project Team / Tool.';
      assert.deepEqual(await toOwner(), [request], 'the project has no maintainers of its own');
      assert.deepEqual(await toGuest(), [], 'a developer cannot give access');
      await server.must(`DELETE ${project}/access_requests/${asker.id}`, own);
      assert.deepEqual(await toAsker(), [], 'withdrawn by the asker');
      await server.must(`POST ${project}/access_requests`, own);
      await server.must(`DELETE ${project}/access_requests/${asker.id}`, { token: owner.token });
      assert.deepEqual(await toAsker(), [
        'Access to the project Team / Tool was denied: Your request to join the project Team / Tool was denied.',
      ]);
      await toOwner();

      const maintainer = await addPerson(server, 'maintainer');
      const json = { user_id: maintainer.id, access_level: 40 };
      await server.must(`POST ${project}/members`, { json, token: owner.token });
      await newsOf('maintainer@example.com');
      await server.must(`POST ${project}/access_requests`, own);
      assert.deepEqual(await newsOf('maintainer@example.com'), [request]);
      assert.deepEqual(await toOwner(), []);
      await server.must(`PUT ${project}/access_requests/${asker.id}/approve`, { token: maintainer.token });
      assert.deepEqual(await toAsker(), [
        'Access to the project Team / Tool was granted: Maintainer (@maintainer) gave you the role Developer in the project Team / Tool.',
      ]);
      await server.must(`POST ${group}/access_requests`, { token: maintainer.token });
      assert.deepEqual(await toOwner(), [
        'Request to join the group Team: Maintainer (@maintainer) asked for access to the group Team.',
      ]);
    });

    it('tell the inviter and the invited person of an accepted invitation', async () => {
      const json = { email: 'late@example.com', access_level: 30 };
      await server.must(`POST ${group}/invitations`, { json, token: owner.token });
      await newsOf('late@example.com');
      await addPerson(server, 'late');
      assert.deepEqual(await toOwner(), [
        'Invitation accepted: Late (@late) accepted your invitation to the group Team as Developer.',
      ]);
      const news = (await newsOf('late@example.com')).filter((line) => line.startsWith('Access'));
      assert.deepEqual(news, [
        'Access to the group Team was granted: You now have the role Developer in the group Team.',
      ]);
    });

    it('are not sent to the bots of tokens', async () => {
      const json = { name: 'Bot', scopes: ['api'], access_level: 30, expires_at: inDays(30) };
      await server.must(`POST ${project}/access_tokens`, { json, token: owner.token });
      const counts = await server.running.services.queue.counts();
      await server.running.services.queue.drain();
      const all = await Promise.all([toOwner(), toGuest()]);
      assert.deepEqual(all, [[], []]);
      assert.equal(counts.dead, 0);
    });

    it('tell the owners of a project or group that is scheduled for deletion', async () => {
      const own = { token: owner.token };
      await toGuest();
      await toOwner();
      await server.must(`DELETE ${project}`);
      const ends = inDays(30);
      assert.deepEqual(await toOwner(), [
        'Tool | Project was scheduled for deletion: The project Tool was scheduled for deletion by Administrator (@root).',
      ]);
      await server.must(`POST ${project}/restore`, own);
      await server.must(`DELETE ${group}`, own);
      assert.deepEqual(await toOwner(), [
        'Team | Group was scheduled for deletion: The group Team was scheduled for deletion by Owner (@owner).',
      ]);
      const texts = (await emailsTo(server, 'owner@example.com')).filter(({ subject }) => subject.includes('deletion'));
      for (const { text } of texts) assert.ok(text.includes(`deleted on ${ends}. Until then`), text);
      assert.deepEqual(await toGuest(), [], 'a developer cannot restore it');
      await server.must(`POST ${group}/restore`, own);
      assert.deepEqual(await toOwner(), []);
    });
  });
});
