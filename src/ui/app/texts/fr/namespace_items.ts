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
  "items.kvExists": "La paire KV {key} existe déjà. Modifiez-la dans la liste ou choisissez une autre clé.",
  "items.secretsHint":
    "Un secret est une valeur que le serveur chiffre et masque dans les journaux. Les flows le lisent par son nom :",
  "items.secretExists": "Le secret {key} existe déjà. Remplacez-le dans la liste ou choisissez un autre nom.",
  "items.environmentSecrets":
    "Les secrets de l’environnement du serveur (variables SECRET_…) appartiennent à tous les espaces de noms. Ils sont en lecture seule ici : modifiez-les là où le serveur est démarré.",
  "items.inheritedFrom": "De {namespace}",
  "items.inheritedServer": "Du serveur",
  "items.rename": "Renommer…",
  "items.renameTitle": "Renommer l’espace de noms {namespace}",
  "items.renameNow": "Renommer",
  "items.renamed": "Espace de noms {namespace} renommé",
  "items.renameHint":
    "Les flows, déclencheurs, paires KV, secrets et fichiers sont déplacés avec leur historique. Les exécutions passées restent sous l’ancien nom.",
  "items.renameBelow": "Renommer aussi ceux en dessous : {names}",
  "items.renameForce": "Renommer quand même. Ces endroits doivent être modifiés à la main.",
  "items.references": "Endroits qui y font référence : {count}",
  "items.unfinished": "Exécutions non terminées : {count}. Attendez-les ou arrêtez-les d’abord.",
  "items.webhooks": "Les adresses des webhooks de ces flows changent : {flows}",
};
