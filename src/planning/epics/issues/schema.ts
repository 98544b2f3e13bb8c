import Type, { type Static } from 'typebox';
import { param, required } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import { Issue, IssueBasic } from '../../issues/public.ts';
import { Epic, oneEpic } from '../schema.ts';

export const EpicIssue = entity('EpicIssue', {
  ...Issue.properties,
  epic_issue_id: Type.Integer(),
  relative_position: Type.Integer(),
});
export type EpicIssueEntity = Static<typeof EpicIssue>;

export const EpicIssueLink = entity('EpicIssueLink', {
  id: Type.Integer(),
  relative_position: Type.Integer(),
  epic: Epic,
  issue: IssueBasic,
});
export type EpicIssueLinkEntity = Static<typeof EpicIssueLink>;

export const oneIssue = { ...oneEpic, issue_id: required(param.integer({ description: 'Global ID of the issue' })) };
export const oneLink = {
  ...oneEpic,
  epic_issue_id: required(param.integer({ description: 'ID of the association of epic and issue' })),
};
export const placing = { move_before_id: param.integer(), move_after_id: param.integer() };
