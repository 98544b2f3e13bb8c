import type { FastifyInstance } from 'fastify';
import type { Services } from '../../access/services.ts';

/** Serves security.txt (RFC 9116) with the content set by the administrators. */
export function serveSecurityTxt(app: FastifyInstance, { settings }: Services): void {
  app.get('/.well-known/security.txt', async (_request, reply) => {
    const { security_txt_content: content } = await settings.read();
    if (!content) return reply.code(404).type('application/json').send('{"error":"404 Not Found"}');
    return reply.type('text/plain; charset=utf-8').send(content);
  });
}
