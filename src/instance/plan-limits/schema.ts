import Type from 'typebox';
import { defaultLimits, LimitsHistory, limitNames } from '../../access/limits/plan-limits.ts';
import { type ParamMap, param, required, withDefault } from '../../platform/http/params.ts';
import { entity } from '../../platform/http/schema.ts';

export const PlanLimit = entity('PlanLimit', {
  ...Object.fromEntries(
    limitNames.map((name) => [name, Type.Integer({ description: `Defaults to ${defaultLimits[name]}` })]),
  ),
  limits_history: LimitsHistory,
});

/** There is a single plan. */
const plan = param.oneOf(['default']);

export const shownPlan = { plan_name: withDefault(plan, 'default') };
export const change: ParamMap = {
  plan_name: required(plan),
  ...Object.fromEntries(limitNames.map((name) => [name, param.integer()])),
};
