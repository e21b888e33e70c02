/** The grammar of image references: https://github.com/distribution/reference */

const MAX_CHARS = 512;
/** The part before the tag. */
const MAX_NAME_CHARS = 255;
const HOST = /^(?:[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*|\[[A-Fa-f0-9:]+\])(?::[0-9]+)?$/;
const HOST_EDGE = /(?:^|\.)-|-(?:\.|:|$)/;
const COMPONENT = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[A-Fa-f0-9]{32,}$/;

/** True for `[host[:port]/]path[:tag][@digest]` and for the id of an image. */
export function isImageReference(text: string): boolean {
  if (text.length > MAX_CHARS) return false;
  const [tagged = "", digest, ...rest] = text.split("@");
  if (rest.length > 0 || digest !== undefined && !DIGEST.test(digest)) return false;
  const colon = tagged.indexOf(":", tagged.lastIndexOf("/") + 1);
  const name = colon < 0 ? tagged : tagged.slice(0, colon);
  return name.length <= MAX_NAME_CHARS && isName(name) && (colon < 0 || TAG.test(tagged.slice(colon + 1)));
}

/** The first of several components is a host if it could not be one of a path, or looks like a host. */
function isName(name: string): boolean {
  const [first = "", ...path] = name.split("/");
  const isHost = path.length > 0 && HOST.test(first) && !HOST_EDGE.test(first);
  return (isHost || COMPONENT.test(first)) && path.every((component) => COMPONENT.test(component));
}
