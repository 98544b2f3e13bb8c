import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { atEnd } from './at-end.ts';

/** A DNS server with the given TXT records; all other names do not exist. */
export async function startDnsServer(texts: ReadonlyMap<string, string>): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    socket.send(answer(question, texts.get(nameIn(question))), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  atEnd(() => socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

function nameIn(question: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; question[at]; at += (question[at] ?? 0) + 1) {
    labels.push(question.toString('latin1', at + 1, at + 1 + (question[at] ?? 0)));
  }
  return labels.join('.').toLowerCase();
}

function answer(question: Buffer, text: string | undefined): Buffer {
  const end = question.indexOf(0, 12) + 5;
  const head = Buffer.from(question.subarray(0, end));
  head.writeUInt16BE(text === undefined ? 0x8183 : 0x8180, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(text === undefined ? 0 : 1, 6);
  head.writeUInt32BE(0, 8);
  if (text === undefined) return head;
  const data = Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)]);
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(16, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(60, 6);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, record, data]);
}
