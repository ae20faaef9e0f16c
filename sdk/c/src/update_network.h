#ifndef DG_UPDATE_NETWORK_H
#define DG_UPDATE_NETWORK_H

#include "update_internal.h"

/* Asks for an offer and assesses it. The event points into the updater. */
void dg_check_offer(dg_updater *updater, dg_update_event *event);

typedef enum dg_delivery {
  DG_REPORT_DELIVERED,
  /* The API will never accept it. */
  DG_REPORT_REFUSED,
  /* No response came from the API, or a later attempt may succeed. */
  DG_REPORT_UNDELIVERED
} dg_delivery;

dg_delivery dg_deliver_report(dg_client *client, const dg_report *report);

#endif
