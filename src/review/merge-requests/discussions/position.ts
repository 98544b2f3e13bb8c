import type { Services } from '../../../access/services.ts';
import type { discussions } from '../../../planning/notes/public.ts';
import { decodePath, patchText } from '../../../platform/git/diff/text.ts';
import { isObjectId } from '../../../platform/git/refs/refname.ts';
import { BadRequest } from '../../../platform/http/errors.ts';
import { rubyDump } from '../../../platform/http/ruby-dump.ts';
import type { MergeRequestRow } from '../tables.ts';
import { differences } from '../versions/collect.ts';
import { lineCode, placeOf } from './line-code.ts';

type Position = discussions.PositionParams;

const refused = (problems: Record<string, string[]>) => new BadRequest(`Note ${rubyDump(problems)}`);
const noLine = () => refused({ line_code: ["can't be blank", 'must be a valid line code'] });

/** Checks where in the diff of a merge request a thread is to begin, and gives it as it is kept. */
export async function checkPosition(
  services: Services,
  request: Pick<MergeRequestRow, 'project_id'>,
  position: Position,
): Promise<discussions.DiffPlace> {
  const { base_sha, start_sha, head_sha, position_type } = position;
  const objects = services.git.objects(services.git.repository(request.project_id));
  const ids = [base_sha, start_sha, head_sha];
  const commits = ids.every(isObjectId) ? await objects.commits(ids) : [];
  if (commits.length < ids.length || commits.includes(null)) throw refused({ position: ['is invalid'] });
  const { entries } = await differences(services, request.project_id, base_sha, head_sha, { expanded: true });
  const old_path = position.old_path || position.new_path || '';
  const new_path = position.new_path || position.old_path || '';
  const entry = entries.find((one) => decodePath(one.newPath) === new_path || decodePath(one.oldPath) === old_path);
  if (!entry) throw noLine();
  const kept = { base_sha, start_sha, head_sha, old_path, new_path, position_type };
  if (position_type === 'file') return { position: kept, lineCode: null };
  if (position_type === 'image') {
    const { width, height, x, y } = position;
    return { position: { ...kept, width, height, x, y }, lineCode: null };
  }
  const { old_line: oldLine, new_line: newLine, line_range = null } = position;
  if (oldLine === undefined && newLine === undefined) throw noLine();
  const place = placeOf(patchText(entry), { oldLine, newLine });
  if (!place) throw noLine();
  return {
    position: { ...kept, old_line: oldLine ?? null, new_line: newLine ?? null, line_range },
    lineCode: lineCode(new_path, place),
  };
}
