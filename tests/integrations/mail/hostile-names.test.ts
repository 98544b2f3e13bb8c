import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

interface Email {
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly raw: string;
}

/** Parses the headers of an e-mail, unfolded as in RFC 5322, without decoding encoded words. */
function readEmail(raw: string): Email {
  const [head = ''] = raw.split('\r\n\r\n', 1);
  const headers = new Map<string, string[]>();
  for (const line of head.replace(/\r\n[ \t]/g, ' ').split('\r\n')) {
    const at = line.indexOf(':');
    assert.ok(at > 0, `not a header line: ${JSON.stringify(line)}`);
    const name = line.slice(0, at).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(at + 1).trim()]);
  }
  return { headers, raw };
}

/** Decodes a header as a mail program shows it: encoded words without the whitespace between them. */
function shown(value: string): string {
  const joined = value.replace(/(\?=)\s+(?==\?)/g, '$1');
  return joined.replace(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
    kind.toUpperCase() === 'B'
      ? Buffer.from(text, 'base64').toString()
      : Buffer.from(
          text
            .replaceAll('_', ' ')
            .replace(/=([0-9A-F]{2})/gi, (_whole, hex: string) => String.fromCharCode(parseInt(hex, 16))),
          'latin1',
        ).toString(),
  );
}

/**
 * Names that, in a vulnerable implementation, would inject a header, a body or a second recipient, or spoof the sender.
 */
const names = {
  'a line break': 'Eve\r\nBcc: victim@example.com\r\nX-Evil: yes\r\n\r\nbody',
  'a bare line feed': 'Eve\nBcc: victim@example.com',
  'a bare carriage return': 'Eve\rBcc: victim@example.com',
  'Unicode separators': 'Eve\u2028Bcc: victim@example.com\u2029\u0085X-Evil: yes',
  'an encoded word': '=?UTF-8?Q?Eve=0D=0ABcc:_victim@example.com?=',
  'a Base64-encoded word': `=?utf-8?B?${Buffer.from('Eve\r\nBcc: victim@example.com').toString('base64')}?=`,
  'an address in angle brackets': 'Eve <admin@example.com>, victim@example.com',
  'a null and a bell': 'Eve\u0000\u0007Bcc: victim@example.com',
  'right-to-left text': 'Eve\u202emoc.elpmaxe@nimda',
};

forEachEngine((engine) => {
  describe('names in e-mails', () => {
    let server: TestServer;
    let count = 0;

    before(async () => {
      server = await startTestServer(engine);
    });

    const emailsTo = async (address: string): Promise<Email[]> => {
      const folder = join(server.running.services.config.data, 'mail');
      const files = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
      const messages = await Promise.all(files.map((name) => readFile(join(folder, name), 'latin1')));
      return messages.map(readEmail).filter(({ headers }) => headers.get('to')?.some((to) => to.includes(address)));
    };

    const known = /^(from|to|subject|message-id|date|mime-version|content-type|content-transfer-encoding)$/;
    const ours =
      /^(references|in-reply-to|list-unsubscribe|list-unsubscribe-post|list-id|x-[a-z]+-[a-z-]+|auto-submitted|precedence)$/;

    /** Expects one recipient, a single-line subject and no injected header. */
    function checkEmail({ headers, raw }: Email, address: string): void {
      assert.deepEqual(headers.get('to'), [address]);
      for (const name of ['from', 'subject', 'message-id', 'content-type'])
        assert.equal(headers.get(name)?.length, 1, name);
      for (const name of headers.keys()) assert.ok(known.test(name) || ours.test(name), name);
      for (const never of ['bcc', 'cc', 'x-evil', 'sender', 'reply-to']) assert.equal(headers.get(never), undefined);
      assert.doesNotMatch(String(headers.get('from')), /Eve|victim/);
      const subject = shown(String(headers.get('subject')));
      assert.doesNotMatch(subject, /[\p{Cc}\p{Zl}\p{Zp}]/u);
      for (const line of raw.split('\r\n')) assert.ok(Buffer.byteLength(line, 'latin1') <= 998);
      assert.doesNotMatch(raw.replaceAll('\r\n', ''), /[\r\n]/);
    }

    for (const [kind, name] of Object.entries(names)) {
      it(`${kind} in user, group and project names is escaped or rejected`, async () => {
        count += 1;
        const person = await addUser(server, `eve${count}`);
        const asPerson = await server.api(`PUT /users/${person.id}`, { json: { name } });
        assert.ok([200, 400].includes(asPerson.status), asPerson.text);
        const named = await server.api('POST /groups', { token: person.token, json: { name, path: `g-${count}` } });
        assert.ok([201, 400].includes(named.status), named.text);
        const group =
          named.status === 201
            ? named.body
            : await server.must('POST /groups', { token: person.token, json: { name: 'g', path: `g-${count}` } });
        const asProject = await server.api('POST /projects', {
          token: person.token,
          json: { name, path: `p-${count}`, namespace_id: group.id },
        });
        assert.ok([201, 400].includes(asProject.status), asProject.text);
        const project =
          asProject.status === 201
            ? asProject.body
            : await server.must('POST /projects', { token: person.token, json: { name: 'p', namespace_id: group.id } });
        const invite = async (place: string, address: string) => {
          const json = { email: address, access_level: 30 };
          await server.must(`POST ${place}/invitations`, { token: person.token, json });
          await until(async () => (await emailsTo(address)).length === 1);
          for (const message of await emailsTo(address)) checkEmail(message, address);
        };
        await invite(`/groups/${group.id}`, `guest-${count}@example.com`);
        await invite(`/projects/${project.id}`, `friend-${count}@example.com`);
        const reader = await addUser(server, `reader${count}`);
        const json = { user_id: reader.id, access_level: 30 };
        await server.must(`POST /projects/${project.id}/members`, { token: person.token, json });
        const open = (title: string) =>
          server.api(`POST /projects/${project.id}/issues`, {
            token: person.token,
            json: { title, assignee_ids: [reader.id] },
          });
        const asTitle = await open(name);
        if (asTitle.status !== 201) assert.deepEqual([asTitle.status, (await open('plain')).status], [400, 201]);
        const address = `${reader.username}@example.com`;
        await until(async () =>
          (await emailsTo(address)).some(({ headers }) => /\(#1\)/.test(shown(String(headers.get('subject'))))),
        );
        for (const message of await emailsTo(address)) checkEmail(message, address);
      });
    }
  });
});
