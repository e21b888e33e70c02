/** The elements of a large XML document as texts, so that they need not be parsed together. */

/**
 * The texts of the elements `name` in the first element `container`. Neither contains another of its name.
 * @throws Error the document is malformed
 */
export function* elementTexts(xml: string, container: string, name: string): Generator<string> {
  const token = new RegExp(`<!--|<!\\[CDATA\\[|</?(?:${container}|${name})(?=[\\s/>])`, "g");
  let isInside = false, start = -1;
  for (let found = token.exec(xml); found; found = token.exec(xml)) {
    const [begin] = found;
    if (begin === "<!--" || begin === "<![CDATA[") {
      token.lastIndex = endOf(xml, begin === "<!--" ? "-->" : "]]>", token.lastIndex);
      continue;
    }
    const end = token.lastIndex = endOfTag(xml, token.lastIndex);
    const isWhole = xml[end - 2] === "/";
    if (begin === `<${container}`) isInside = !isWhole;
    else if (begin === `<${name}` && isInside && !isWhole) start = found.index;
    else if (begin === `<${name}` && isInside) yield xml.slice(found.index, end);
    else if (begin === `</${name}` && start >= 0) {
      yield xml.slice(start, end);
      start = -1;
    } else if (begin === `</${container}`) {
      if (start >= 0) throw malformed();
      return;
    }
  }
  if (isInside) throw malformed();
}

/** Where a tag ends; values of attributes may contain its last character. */
function endOfTag(xml: string, from: number): number {
  const mark = /["'>]/g;
  for (mark.lastIndex = from;;) {
    const [found] = mark.exec(xml) ?? [];
    if (found === undefined) throw malformed();
    if (found === ">") return mark.lastIndex;
    mark.lastIndex = endOf(xml, found, mark.lastIndex);
  }
}

function endOf(xml: string, mark: string, from: number): number {
  const at = xml.indexOf(mark, from);
  if (at < 0) throw malformed();
  return at + mark.length;
}

function malformed(): Error {
  return new Error("Cannot read the file: its XML is malformed");
}
