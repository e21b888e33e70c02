/** French: texts of KV pairs, secrets, variables and defaults of namespaces. */
import type { ITEMS_EN } from "../en/namespace_items.ts";

/** All of them. */
export const ITEMS_FR: Readonly<Record<keyof typeof ITEMS_EN, string>> = {
  "items.use": "Utilisation",
  "items.lastUsed": "Dernière utilisation",
  "items.readable": "Lisible par les flows de cet espace de noms",
  "items.hidden": "Masqué par un élément du même nom plus proche de cet espace de noms",
  "items.deleteSelected": "Supprimer la sélection",
  "items.kvHint":
    "Les flows enregistrent et partagent des valeurs dans des paires KV, et les lisent par leur clé :",
  "items.kvConfirmAll":
    "{count} paires KV et leurs valeurs sont supprimées. Les flows qui les lisent échouent.",
  "items.kvDeletedAll": "{count} paires KV supprimées sur {total}",
  "items.secretsHint":
    "Un secret est une valeur que le serveur chiffre et masque dans les journaux. Les flows le lisent par son nom :",
  "items.environmentSecrets":
    "Les secrets de l’environnement du serveur (variables SECRET_…) appartiennent à tous les espaces de noms. Ils sont en lecture seule ici : modifiez-les là où le serveur est démarré.",
  "items.inheritedFrom": "De {namespace}",
  "items.inheritedServer": "Du serveur",
};
