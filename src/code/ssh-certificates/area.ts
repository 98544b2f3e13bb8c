import type { Area } from '../../access/area.ts';
import { sshCertificateRoutes } from './routes.ts';

/** Authorities that groups trust to say who their members are, over SSH. */
export const sshCertificates: Area = { name: 'ssh certificates', routes: sshCertificateRoutes };
