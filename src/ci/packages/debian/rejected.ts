/** An upload cannot be published; the message says why, to those who can see the package. */
export class Rejected extends Error {
  override readonly name = 'Rejected';
}
