import assert from 'node:assert/strict';
import { it } from 'node:test';
import { attachmentName, attachmentsIn, withAttachment } from '../../../src/imports/hosta/attachments/links.ts';

const places = { web: 'https://host.example', fullName: 'Owner/repo' };
const picture = 'https://host.example/user-attachments/assets/0a1b';

const texts: readonly [string, readonly string[]][] = [
  [`![x](${picture})`, [picture]],
  [`<img src="${picture}" width="5">`, [picture]],
  [`See ${picture}, twice: ${picture}.`, [picture]],
  ['https://host.example/owner/REPO/files/7/a.log', ['https://host.example/owner/REPO/files/7/a.log']],
  ['https://user-images.githubusercontent.com/1/2.png', ['https://user-images.githubusercontent.com/1/2.png']],
  [`\`${picture}\` and\n\`\`\`\n${picture}\n\`\`\``, []],
  ['https://host.example/owner/other/files/7/a.log', []],
  ['https://host.example/owner/repo/issues/7', []],
  ['https://host.example.evil.example/user-attachments/assets/1', []],
  ['https://evil.example/?https://host.example/user-attachments/assets/1', []],
  ['file:///etc/passwd http://127.0.0.1/user-attachments/assets/1', []],
];
for (const [text, expected] of texts) {
  it(`finds the attachments of ${JSON.stringify(text)}`, () => assert.deepEqual(attachmentsIn(text, places), expected));
}

it('limits the number of attachments', () => {
  const many = Array.from({ length: 1000 }, (_, at) => `${picture}${at}`).join(' ');
  assert.equal(attachmentsIn(many, places).length, 200);
});

it('replaces only the exact URL, not longer ones or those in code', () => {
  const text = `![a](${picture}) ${picture}2 \`${picture}\` ![b](${picture}).`;
  assert.equal(withAttachment(text, picture, '/u/$&'), `![a](/u/$&) ${picture}2 \`${picture}\` ![b](/u/$&).`);
});

const moved: readonly [string, string][] = [
  [`see ${picture}.`, 'see [a.log](/u/a.log).'],
  [`<${picture}>`, '[a.log](/u/a.log)'],
  [`(${picture})`, '([a.log](/u/a.log))'],
  [`[x](${picture})`, '[x](/u/a.log)'],
  [`[x]( ${picture} "t")`, '[x]( /u/a.log "t")'],
  [`[x](<${picture}>)`, '[x](</u/a.log>)'],
  [`[${picture}](${picture})`, '[/u/a.log](/u/a.log)'],
  [`[1]: ${picture}`, '[1]: /u/a.log'],
  [`<img width="5" src="${picture}">`, '<img width="5" src="/u/a.log">'],
  [`<img src=${picture}>`, '<img src=/u/a.log>'],
];
for (const [text, expected] of moved) {
  it(`links every URL: ${text}`, () => assert.equal(withAttachment(text, picture, '/u/a.log'), expected));
}

it('embeds videos', () => assert.equal(withAttachment(picture, picture, '/u/a.mp4'), '![a.mp4](/u/a.mp4)'));

const names: readonly [string, string | undefined, string][] = [
  [picture, 'image/png; x=1', '0a1b.png'],
  [picture, 'text/html', '0a1b'],
  [picture, undefined, '0a1b'],
  ['https://h/files/7/a%20b(1).log', 'text/plain', 'a_b_1_.log'],
  ['https://h/files/7/..%2f..%2fetc', 'constructor', '__.._etc'],
  ['https://h/', 'image/gif', 'file.gif'],
];
for (const [url, type, expected] of names) {
  it(`names the file of ${url} ${expected}`, () => assert.equal(attachmentName(url, type), expected));
}
