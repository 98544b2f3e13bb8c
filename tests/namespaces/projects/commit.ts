import { actorOnBehalfOf } from '../../../src/access/actor.ts';
import { moveRefs } from '../../../src/code/pushes/public.ts';
import { createCommit } from '../../../src/platform/git/objects/commit-write.ts';
import { type Person, subjectFor } from '../../support/scene.ts';
import type { TestServer } from '../../support/server.ts';

/** Adds a commit with files to the empty repository of a project. */
export async function commitFiles(
  server: TestServer,
  person: Person,
  id: number,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const { services } = server.running;
  const { git } = services;
  const row = await server.db.read.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const repo = git.repository(id);
  const writer = git.writer(repo);
  const editor = await git.editTree(repo, null);
  for (const [path, content] of Object.entries(files)) {
    await editor.create(path, { mode: '100644', oid: await writer.add('blob', Buffer.from(content)) });
  }
  const who = { name: 'A', email: 'a@example.com', seconds: 1_700_000_000, zone: 0 };
  const tree = await editor.write(writer);
  const commit = await createCommit(writer, { tree, parents: [], author: who, committer: who, message: 'files' });
  await writer.flush();
  const moved = await moveRefs(services, {
    actor: actorOnBehalfOf(person.user),
    subject: await subjectFor(server, person, row),
    changes: [{ ref: 'refs/heads/main', old: null, new: commit }],
    protocol: 'web',
  });
  if (moved.status !== 'ok') throw new Error(moved.message);
}
