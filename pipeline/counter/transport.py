"""Moving one distribution onto another at the least cost: many small transportation problems, compiled and exact.

Only Word Mover's Distances need it: importing the compiler takes a second.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

from pipeline.arrays import Floats

if TYPE_CHECKING:
    from pipeline.counter.word_movers import Bags

_NOTHING = 1e-12


@njit(cache=True)
def all_costs(words: Floats, one: "Bags", other: "Bags") -> Floats:
    """The cost of moving every sentence of one speech onto every sentence of another, given that of their words."""
    costs = np.empty((len(one[0]) - 1, len(other[0]) - 1))
    for row in range(costs.shape[0]):
        for column in range(costs.shape[1]):
            costs[row, column] = _cost(words, one, row, other, column)
    return costs


@njit(cache=True)
def extreme_costs(words: Floats, one: "Bags", other: "Bags", bounds: Floats, sign: int) -> tuple[Floats, int]:
    """(the smallest or largest cost of each sentence, how many costs were computed).

    With the sign 1 it is the smallest, and `bounds` are below the costs; with -1 the largest, and they are above. A
    cost whose bound is beyond the best one so far is not computed.
    """
    costs = np.empty(len(one[0]) - 1)
    solved = 0
    for row in range(len(costs)):
        best = np.inf
        for column in np.argsort(sign * bounds[row]):
            if sign * bounds[row, column] >= best:
                break
            best = min(best, sign * _cost(words, one, row, other, column))
            solved += 1
        costs[row] = sign * best
    return costs, solved


@njit(cache=True)
def _cost(words: Floats, one: "Bags", row: int, other: "Bags", column: int) -> float:
    """The cost of moving a sentence onto another."""
    first, last = one[0][row], one[0][row + 1]
    start, end = other[0][column], other[0][column + 1]
    cost = np.empty((last - first, end - start))
    for i in range(last - first):
        for j in range(end - start):
            cost[i, j] = words[one[1][first + i], other[1][start + j]]
    return transport_cost(one[2][first:last], other[2][start:end], cost)


@njit(cache=True)
def transport_cost(supply: Floats, demand: Floats, cost: Floats) -> float:
    """The least total of flow x cost that takes all supply to all demand; both sum to the same, costs are not negative.

    Successive shortest paths: every round sends what it can along the cheapest path from a row that still has supply
    to a column that still has demand; prices keep the costs of all edges that are left at zero or above.
    """
    rows, columns = cost.shape
    supply, demand = supply.copy(), demand.copy()
    flow = np.zeros((rows, columns))
    prices = np.zeros(rows + columns)
    distance = np.empty(rows + columns)
    came_from = np.empty(rows + columns, dtype=np.int64)
    done = np.empty(rows + columns, dtype=np.bool_)
    for row in range(rows):
        while supply[row] > _NOTHING and demand.max() > _NOTHING:
            end = _cheapest_path(row, demand, cost, flow, prices, distance, came_from, done)
            for node in range(rows + columns):
                prices[node] += min(distance[node], distance[rows + end])
            _send(row, end, supply, demand, flow, came_from)
    return float((flow * cost).sum())


@njit(cache=True)
def _cheapest_path(
    start: int, demand: Floats, cost: Floats, flow: Floats, prices: Floats, distance: Floats, came_from: Any, done: Any
) -> int:
    """Dijkstra from a row to the nearest column with demand. Nodes are the rows, then the columns."""
    rows, columns = cost.shape
    distance[:] = np.inf
    done[:] = False
    distance[start] = 0.0
    came_from[start] = -1
    while True:
        nearest, best = -1, np.inf
        for node in range(rows + columns):
            if not done[node] and distance[node] < best:
                nearest, best = node, distance[node]
        done[nearest] = True
        if nearest >= rows:
            column = nearest - rows
            if demand[column] > _NOTHING:
                return int(column)
            for row in range(rows):  # what flows into this column can be sent back, at no cost but the prices
                if flow[row, column] > _NOTHING and best < distance[row]:
                    distance[row], came_from[row] = best, nearest
            continue
        for column in range(columns):
            there = best + max(0.0, cost[nearest, column] + prices[nearest] - prices[rows + column])
            if there < distance[rows + column]:
                distance[rows + column], came_from[rows + column] = there, nearest


@njit(cache=True)
def _send(start: int, end: int, supply: Floats, demand: Floats, flow: Floats, came_from: Any) -> None:
    """Send along the path as much as its supply, its demand and the flows it takes back allow."""
    rows = len(supply)
    amount = min(supply[start], demand[end])
    row = came_from[rows + end]
    while row != start:
        column = came_from[row] - rows
        amount = min(amount, flow[row, column])
        row = came_from[rows + column]
    column = end
    while True:
        row = came_from[rows + column]
        flow[row, column] += amount
        if row == start:
            break
        column = came_from[row] - rows
        flow[row, column] -= amount
    supply[start] -= amount
    demand[end] -= amount
