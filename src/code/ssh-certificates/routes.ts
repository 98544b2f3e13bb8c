import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'ssh certificates';

export function sshCertificateRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.group('admin_group', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/groups/:id/ssh_certificates',
      tag,
      summary: 'List SSH certificates of a group',
      gate,
      params: schema.ofGroup,
      paginated: true,
      responses: { 200: Type.Array(schema.SshCertificate) },
      handle: ({ subject, page }) => service.listCertificates(services, subject, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/ssh_certificates',
      tag,
      summary: 'Create an SSH certificate for a group',
      gate,
      params: schema.certificateCreation,
      responses: { 201: schema.SshCertificate },
      handle: ({ caller, subject, params }) => service.addCertificate(services, caller, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/ssh_certificates/:ssh_certificates_id',
      tag,
      summary: 'Delete an SSH certificate of a group',
      gate,
      params: schema.oneCertificate,
      responses: { 204: null },
      handle: ({ caller, subject, params }) =>
        service.removeCertificate(services, caller, subject, params.ssh_certificates_id),
    }),
  ];
}
