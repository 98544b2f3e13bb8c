import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { installHooks } from '../../../../src/platform/git/transport/hooks.ts';
import { receivePack } from '../../../../src/platform/git/transport/receive.ts';
import { uploadArchive, uploadPack } from '../../../../src/platform/git/transport/transport.ts';
import { WorkTree } from '../work-tree.ts';

// Stock git reaches the server through a small program that it runs instead of ssh.
const BRIDGE = `
const net = require('node:net');
const [port, service] = process.argv.slice(2);
const socket = net.connect({ port: Number(port), allowHalfOpen: true }, () => {
  socket.write(service.replace(/^git /, 'git-') + ' ' + (process.env.GIT_PROTOCOL ?? '') + '\\n');
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
});
socket.on('close', () => process.exit(0));
`;

const execute = promisify(execFile);
const work = new WorkTree();
const clone = join(work.folder, 'clone');
const pushed: string[] = [];
const protocols: string[] = [];
let server: Server;
let address = '';
let hooksPath = '';

before(async () => {
  for (let i = 0; i < 3; i++) work.commit({ [`f${i}`]: `${i}\n` });
  hooksPath = await installHooks(join(work.folder, 'run'));
  server = createServer({ allowHalfOpen: true }, (socket) => void greet(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bridge = join(work.folder, 'bridge.cjs');
  writeFileSync(bridge, BRIDGE);
  const word = (text: string) => text.replaceAll('%', '%%').replaceAll(' ', '% ');
  address = `ext::${word(process.execPath)} ${word(bridge)} ${(server.address() as AddressInfo).port} %S`;
});
after(() => {
  server.close();
  work.remove();
});

async function greet(socket: Socket): Promise<void> {
  const line = await new Promise<string>((resolve) => {
    socket.once('readable', () => {
      const bytes = socket.read() as Buffer;
      const end = bytes.indexOf(10);
      socket.unshift(bytes.subarray(end + 1));
      resolve(bytes.toString('utf8', 0, end));
    });
  });
  const [service = '', protocol = ''] = line.split(' ');
  protocols.push(protocol);
  const session = { input: socket, output: socket, stateless: false, protocol };
  const hooks = {
    onPreReceive: async () => undefined,
    onPostReceive: async ({ changes }: { changes: readonly { ref: string }[] }) => {
      pushed.push(...changes.map((change) => change.ref));
      return ['recorded'];
    },
  };
  if (service === 'git-receive-pack') await receivePack(work.repo, { ...session, hooks, hooksPath });
  else if (service === 'git-upload-archive') await uploadArchive(work.repo, session);
  else await uploadPack(work.repo, session);
  socket.end();
}

async function git(cwd: string, ...args: string[]): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    HOME: work.folder,
    GIT_ALLOW_PROTOCOL: 'ext',
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@e',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@e',
  };
  const { stdout, stderr } = await execute('git', args, { cwd, env, encoding: 'buffer' });
  return stdout.toString('latin1') + stderr.toString('latin1');
}

test('SSH sessions support clone, fetch, push and archive', async () => {
  await git(work.folder, 'clone', '-q', address, clone);
  assert.equal((await git(clone, 'rev-list', '--count', 'HEAD')).trim(), '3');
  work.commit({ later: 'x' });
  await git(clone, 'pull', '-q');
  await git(clone, 'commit', '-q', '--allow-empty', '-m', 'mine');
  assert.match(await git(clone, 'push', 'origin', 'HEAD:refs/heads/topic'), /remote: recorded/);
  assert.deepEqual(pushed, ['refs/heads/topic']);
  assert.equal(work.git('rev-parse', 'topic'), (await git(clone, 'rev-parse', 'HEAD')).trim());
  const tar = await git(clone, 'archive', '--format=tar', `--remote=${address}`, 'topic');
  assert.match(tar, /later/);
  const some = await git(clone, 'archive', '--format=tar', `--remote=${address}`, 'topic', 'lat*');
  assert.match(some, /later/);
});
