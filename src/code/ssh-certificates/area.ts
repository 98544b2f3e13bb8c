import type { Area } from '../../access/area.ts';
import { sshCertificateRoutes } from './routes.ts';

/** SSH certificate authorities that groups trust to identify their members. */
export const sshCertificates: Area = { name: 'ssh certificates', routes: sshCertificateRoutes };
