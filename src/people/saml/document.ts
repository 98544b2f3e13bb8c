import { type SaxesAttributeNS, SaxesParser } from 'saxes';
import { ResponseRefused } from './refused.ts';

/** An XML element. */
export interface XmlElement {
  readonly name: string;
  /** Namespace. */
  readonly uri: string;
  /** Attributes without a prefix. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Its own text, without that of its children. */
  readonly text: string;
}

type Building = XmlElement & { children: XmlElement[]; text: string };

const maxLength = 512 * 1024;
const maxDepth = 32;
const maxElements = 5000;

/**
 * Parses a document and rejects what no identity provider sends but attacks are made of: document types with their
 * entities, comments and processing instructions that split texts, depths that exhaust the stack, and anything that is
 * not well-formed, about which parsers might disagree.
 */
export function parseDocument(text: string): XmlElement {
  if (text.length > maxLength) throw new ResponseRefused('the document is too long');
  const parser = new SaxesParser({ xmlns: true });
  const refuse = (what: string) => () => {
    throw new ResponseRefused(`the document contains ${what}`);
  };
  parser.on('error', (error) => {
    throw new ResponseRefused('the document is not well-formed', { cause: error });
  });
  parser.on('doctype', refuse('a document type'));
  parser.on('comment', refuse('a comment'));
  parser.on('processinginstruction', refuse('a processing instruction'));
  parser.on('cdata', refuse('a CDATA section'));
  const open: Building[] = [];
  let root: Building | undefined;
  let count = 0;
  parser.on('opentag', ({ local, uri, attributes }) => {
    count += 1;
    if (open.length >= maxDepth || count > maxElements) throw new ResponseRefused('the document is too complex');
    const own = Object.values<SaxesAttributeNS>(attributes).filter(({ prefix }) => prefix === '');
    const element: Building = {
      name: local,
      uri,
      attributes: new Map(own.map((attribute) => [attribute.local, attribute.value])),
      children: [],
      text: '',
    };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('text', (piece) => {
    const last = open.at(-1);
    if (last) last.text += piece;
  });
  parser.on('closetag', () => open.pop());
  parser.write(text).close();
  if (!root) throw new ResponseRefused('the document is empty');
  return root;
}

/** Returns the children with a name. */
export const childrenOf = (element: XmlElement, uri: string, name: string): readonly XmlElement[] =>
  element.children.filter((child) => child.name === name && child.uri === uri);

/** Calls a function for an element and everything in it. */
export function walk(element: XmlElement, visit: (element: XmlElement, parent?: XmlElement) => void): void {
  const visitAll = (one: XmlElement) => {
    for (const child of one.children) {
      visit(child, one);
      visitAll(child);
    }
  };
  visit(element);
  visitAll(element);
}
