/** French texts of own dashboards. */
import type { DashboardTexts } from "../en/dashboards.ts";

/** The texts. */
export const DASHBOARDS_FR: DashboardTexts = {
  "dashboards.all": "Tableaux de bord",
  "dashboards.overview": "Vue d’ensemble",
  "dashboards.new": "Nouveau tableau de bord",
  "dashboards.view": "Retour au tableau de bord",
  "dashboards.source": "Code source du tableau de bord",
  "dashboards.unsaved": "Les modifications de ce tableau de bord ne sont pas enregistrées. Quitter la page ?",
  "dashboards.preview": "Aperçu",
  "dashboards.lastRange": "Derniers {range}",
  "dashboards.showAll": "Afficher les {count}",
  "dashboards.others": "{count} autres",
  "dashboards.csv": "{title} au format CSV",
  "dashboards.incomplete":
    "Les données n’ont pas toutes été lues. Choisissez une période plus courte ou un filtre.",
  "dashboards.noData": "Aucune donnée sur cette période.",
  "dashboards.unknown": "Aucun tableau de bord n’a l’identifiant {id}",
  "dashboards.noCharts": "Ce tableau de bord n’a pas encore de graphique",
  "dashboards.noChartsHint":
    "Son code source les énumère sous charts ; l’aperçu à côté montre chaque modification.",
  "dashboards.duplicate": "Dupliquer",
  "dashboards.delete": "Supprimer le tableau de bord",
  "dashboards.confirmDelete":
    "Le tableau de bord {title} sera supprimé définitivement. Les exécutions et les flows sont conservés.",
  "dashboards.deleted": "Supprimé : {title}",
  "dashboards.builtIn": "Il est intégré. Dupliquez-le pour le modifier.",
  "dashboards.saved": "Le tableau de bord est enregistré",
  "dashboards.changed": "Le tableau de bord a été modifié entre-temps",
  "dashboards.changedText":
    "Quelqu’un d’autre a enregistré ce tableau de bord depuis que vous l’avez ouvert. L’enregistrement remplacera cette version par la vôtre.",
  "dashboards.replace": "Remplacer",
};
