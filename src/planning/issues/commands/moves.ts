import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, projectSubject } from '../../../access/subjects.ts';
import { findProject } from '../../../namespaces/projects/public.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { labelsById } from '../../labels/public.ts';
import type { Changes } from '../../quick-actions/public.ts';
import { changeIssue } from '../changes/update.ts';
import type { LongTexts } from '../moving/long-texts.ts';
import { cloneIn, moveIn } from '../moving/service.ts';
import { stateOf } from '../service.ts';
import { requireIssue } from '../store.ts';
import type { IssueRow } from '../tables.ts';

/** Returns the labels of the board lists of a project; undefined if the project has no board or several. */
export type BoardColumns = (db: Reader, projectId: number) => Promise<readonly number[] | undefined>;

/** Creates a branch and a merge request for an issue; contributed by the merge requests area. */
export interface RequestOpener {
  may(subject: ProjectSubject): boolean;
  /** Schedules the creation after the transaction commits, because git is not transactional. */
  open(services: Services, trx: Writer, options: IssueBranchRequest): Promise<void>;
}

export interface IssueBranchRequest {
  readonly issue: IssueRow;
  readonly userId: number;
  readonly branch: string | undefined;
}

declare module '../../../platform/domain-events.ts' {
  interface Contributions {
    'issues.boardColumns': BoardColumns;
    'issues.requestOpener': RequestOpener;
  }
}

/** Executes the quick actions that move or clone an issue, move it on the board, or create a merge request for it. */
export async function executeMoves(
  services: Services,
  trx: Writer,
  writer: SignedInActor,
  subject: ProjectSubject,
  issueId: number,
  changes: Changes,
  longTexts: LongTexts,
): Promise<void> {
  if (changes.board_move !== undefined) await moveOnBoard(services, trx, writer, subject, issueId, changes.board_move);
  if (changes.create_merge_request) {
    const issue = await requireIssue(trx, issueId);
    const options = { issue, userId: writer.user.id, branch: changes.create_merge_request.branch_name };
    for (const { open } of services.contributions('issues.requestOpener')) await open(services, trx, options);
  }
  if (changes.target_clone_project_id !== undefined) {
    const place = await placeFor(trx, writer, changes.target_clone_project_id);
    const state = await stateOf(trx, await requireIssue(trx, issueId));
    const withNotes = changes.clone_with_notes === true;
    if (place) await cloneIn(services, trx, writer, subject, state, place, withNotes, longTexts);
  }
  const { target_project_id } = changes;
  if (target_project_id === undefined || target_project_id === subject.project.id) return;
  const place = await placeFor(trx, writer, target_project_id);
  if (place) await moveIn(services, trx, writer, subject, issueId, place, longTexts);
}

async function placeFor(trx: Writer, writer: SignedInActor, id: number): Promise<ProjectSubject | undefined> {
  const project = await findProject(trx, id);
  return project && projectSubject(trx, writer, project);
}

/** An issue belongs to one board list: it gets the label of that list and loses the labels of the others. */
async function moveOnBoard(
  services: Services,
  trx: Writer,
  writer: SignedInActor,
  subject: ProjectSubject,
  issueId: number,
  labelId: number,
): Promise<void> {
  const [columnsOf] = services.contributions('issues.boardColumns');
  const columns = await columnsOf?.(trx, subject.project.id);
  if (!columns?.includes(labelId)) return;
  const titles = async (ids: readonly number[]) => (await labelsById(trx, ids)).map(({ title }) => title);
  const others = columns.filter((id) => id !== labelId);
  const change = { add_labels: await titles([labelId]), remove_labels: await titles(others) };
  await changeIssue(services, trx, writer, subject, issueId, change);
}
