import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { change, PlanLimit, shownPlan } from './schema.ts';
import { changePlanLimits, getPlanLimits } from './service.ts';

const tag = 'plan limits';

export function planLimitRoutes(services: Services, { admin }: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/application/plan_limits',
      tag,
      summary: 'Get plan limits',
      gate: admin,
      params: shownPlan,
      responses: { 200: PlanLimit },
      handle: () => getPlanLimits(services),
    }),
    route({
      method: 'PUT',
      path: '/application/plan_limits',
      tag,
      summary: 'Update plan limits',
      gate: admin,
      params: change,
      responses: { 200: PlanLimit },
      handle: ({ subject, params }) => changePlanLimits(services, subject, params),
    }),
  ];
}
