import Type, { type Static } from 'typebox';
import { param, required } from '../../platform/http/params.ts';
import { entity, timestamp } from '../../platform/http/schema.ts';

export const SshCertificate = entity('SshCertificate', {
  id: Type.Integer(),
  title: Type.String(),
  key: Type.String(),
  created_at: timestamp(),
});
export type SshCertificateEntity = Static<typeof SshCertificate>;

export const ofGroup = { id: required(param.string({ description: 'ID or URL-encoded path' })) };

export const certificateCreation = {
  ...ofGroup,
  title: required(param.string()),
  key: required(param.string({ description: 'Public key of the certificate authority in OpenSSH format' })),
};

export const oneCertificate = { ...ofGroup, ssh_certificates_id: required(param.integer()) };
