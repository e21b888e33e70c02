/** `/namespaces[/:id[/:tab]]`: the tree, or one namespace. */
import { segments } from "../../core/router.ts";
import { NamespaceList } from "./namespace_list.tsx";
import { NamespacePage } from "./namespace_page.tsx";

/** The view. */
export default function NamespacesView() {
  const [, id, tab] = segments.value;
  return id === undefined ? <NamespaceList /> : <NamespacePage key={id} id={id} tab={tab ?? "overview"} />;
}
