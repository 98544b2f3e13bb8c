import { actorOnBehalfOf } from '../../../src/access/actor.ts';
import { findUser } from '../../../src/access/credentials/identify.ts';
import { lookUpProject, projectSubject } from '../../../src/access/subjects.ts';
import { moveRefs } from '../../../src/code/pushes/public.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { withServices } from '../../../src/open-services.ts';
import { createCommit } from '../../../src/platform/git/objects/commit-write.ts';

// Commits like the API in a process that tests can kill. Prints the commit when it is acknowledged.
const { MOVE_PROJECT = '', MOVE_USER = '', MOVE_BRANCH = '' } = process.env;

await withServices(loadConfig(process.argv.slice(2), process.env), async (services) => {
  const { db, git } = services;
  const user = await findUser(db.read, Number(MOVE_USER));
  const found = await lookUpProject(db.read, MOVE_PROJECT);
  if (!user || !found) throw new Error('user or project not found');
  const subject = await projectSubject(db.read, actorOnBehalfOf(user), found.project);
  const repo = git.repository(found.project.id);
  const ref = `refs/heads/${MOVE_BRANCH}`;
  const old = await git.readRef(repo, ref);
  const tree = old === null ? null : ((await git.objects(repo).commit(old))?.tree ?? null);
  const writer = git.writer(repo);
  const editor = await git.editTree(repo, tree);
  await editor.create(`file-${process.pid}`, { mode: '100644', oid: await writer.add('blob', Buffer.from('x')) });
  const who = { name: 'Ann', email: 'ann@example.com', seconds: Math.floor(Date.now() / 1000), zone: 0 };
  const commit = await createCommit(writer, {
    tree: await editor.write(writer),
    parents: old === null ? [] : [old],
    author: who,
    committer: who,
    message: 'By API',
  });
  await writer.flush();
  const request = {
    actor: actorOnBehalfOf(user),
    subject,
    changes: [{ ref, old, new: commit }],
    protocol: 'web' as const,
  };
  const { status } = await moveRefs(services, request);
  if (status === 'ok') process.stdout.write(`${commit}\n`);
});
