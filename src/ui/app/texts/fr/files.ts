/** French: texts of files of namespaces. */
import type { FILES_EN } from "../en/files.ts";

/** All of them. */
export const FILES_FR: Readonly<Record<keyof typeof FILES_EN, string>> = {
  "files.view.text": "Texte",
  "files.view.preview": "Aperçu",
  "files.view.history": "Historique",
  "files.views": "Vues de {name}",
  "files.changedMeanwhile": "Quelqu’un a enregistré ce fichier entre-temps.",
  "files.deletedMeanwhile": "Ce fichier a été supprimé entre-temps. L’enregistrement le recrée.",
  "files.compare": "Comparer",
  "files.conflict": "{name} a été modifié entre-temps : révision {revision}",
  "files.oneRevision": "Ce fichier a une seule révision",
  "files.oneRevisionHint":
    "Chaque modification enregistrée conserve le contenu précédent comme révision, que l’on compare et restaure ici.",
  "files.confirmRestore": "Le contenu de la révision {revision} devient la révision suivante.",
  "files.confirmRestoreDraft":
    "Le contenu de la révision {revision} devient la révision suivante. Vos modifications non enregistrées seront perdues.",
  "files.downloadRevision": "Télécharger la révision {revision}",
  "files.isPresent": "C’est le contenu actuel.",
  "files.present": "Révision {revision} (actuelle)",
  "files.noComparison":
    "Seuls les textes jusqu’à 1 Mo sont comparés. Téléchargez les révisions pour voir la différence.",
  "files.byTask": "par une tâche",
  "files.byTaskOf": "Enregistrée par une tâche de l'exécution",
  "files.search": "Rechercher des fichiers",
  "files.matches": "Fichiers trouvés",
  "files.moreMatches": "{count} résultats en tout ; précisez le chemin",
  "files.moved": "Déplacé vers {path}",
  "files.count": "{count} fichiers",
  "files.uploadFolder": "Envoyer un dossier",
  "files.dropHint":
    "Déposez ici des fichiers et des dossiers ; un zip est décompressé. Glissez un élément sur un dossier pour le déplacer.",
  "files.confirmReplace":
    "Ces fichiers existent : {names}. Ils reçoivent une nouvelle révision ; le contenu actuel reste dans leur historique.",
  "files.confirmDelete":
    "Le fichier {path} est supprimé avec toutes ses révisions. Les flows qui le lisent échouent.",
};
