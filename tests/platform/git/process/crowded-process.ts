import { closeSync, openSync } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { bzip2 } from '../../../../src/platform/git/archive/bzip2.ts';
import { gitProcessCounters, limitGitProcesses, run } from '../../../../src/platform/git/process/command.ts';

// Started by the tests under a low limit of open files: uses all of them up, asks for git and bzip2, frees them again.
const repo = { path: process.argv[2] ?? '' };
limitGitProcesses({ work: { running: 1, waiting: 1 } });
const ask = () =>
  run(repo, { name: 'count-objects' }).then(
    () => 'ran',
    (error: Error) => error.name,
  );
const said = [await ask()];

const files: number[] = [];
const takeAll = () => {
  try {
    for (;;) files.push(openSync('/dev/null', 'r'));
  } catch {
    // No more of them.
  }
};
// Again and again: those of the process that has just ended are given back a little later.
for (let turn = 0; turn < 20; turn += 1) {
  takeAll();
  await setTimeout(1);
}
said.push(await ask(), await ask());
said.push(
  await Array.fromAsync(bzip2(Readable.from([]))).then(
    () => 'packed',
    () => 'failed',
  ),
);
for (const file of files) closeSync(file);
said.push(await ask(), `${gitProcessCounters().work.running} running`);
console.log(said.join(', '));
