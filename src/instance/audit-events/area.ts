import type { Area } from '../../access/area.ts';
import { auditSubscriptions } from './recording.ts';
import { auditEventRoutes } from './routes.ts';

export const auditEvents: Area = { name: 'audit-events', routes: auditEventRoutes, on: auditSubscriptions };
