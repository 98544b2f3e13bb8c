import { readFileSync } from 'node:fs';
import ssh2 from 'ssh2';

/**
 * The `ssh` program for git in tests: connects with the key in HEARTH_TEST_KEY and runs the command, so that tests need
 * no OpenSSH.
 */
const words = process.argv.slice(2);
let port = 22;
let sendProtocol = false;
const rest: string[] = [];
for (let word = words.shift(); word !== undefined; word = words.shift()) {
  if (word === '-p') port = Number(words.shift());
  else if (word === '-o') sendProtocol ||= words.shift() === 'SendEnv=GIT_PROTOCOL';
  else rest.push(word);
}
const [target = '', ...command] = rest;
const [username = '', host = ''] = target.split('@');
const client = new ssh2.Client();
client.on('error', (error) => {
  process.stderr.write(`ssh: ${error.message}\n`);
  process.exit(255);
});
client.on('ready', () => {
  const { GIT_PROTOCOL } = process.env;
  const env = sendProtocol && GIT_PROTOCOL ? { GIT_PROTOCOL } : {};
  client.exec(command.join(' '), { env }, (error, channel) => {
    if (error) throw error;
    channel.pipe(process.stdout);
    channel.stderr.pipe(process.stderr);
    process.stdin.pipe(channel);
    channel.on('exit', (code: number | null) => {
      process.exitCode = code ?? 255;
    });
    channel.on('close', () => {
      client.end();
      process.stdin.destroy();
    });
  });
});
client.on('connect', () => client.setNoDelay(true));
client.connect({ host, port, username, privateKey: readFileSync(process.env.HEARTH_TEST_KEY ?? '') });
