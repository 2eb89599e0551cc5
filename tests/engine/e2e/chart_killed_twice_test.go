package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAnInstallIsKilledTwice(t *testing.T) { // [H14]
	t.Parallel()
	for _, killed := range [][2]int32{{1, 1}, {3, 3}, {4, 12}, {8, 2}, {12, 5}, {15, 9}} {
		t.Run(fmt.Sprintf("request %d, then %d", killed[0], killed[1]), func(t *testing.T) {
			t.Parallel()
			s := newChartStory(t)
			proxy := newFaulty(t, s.cluster)
			s.connectAs(t, proxy.User)
			s.chart(t, "1.0.0", hookedChart)
			s.declare(t, "")
			ran := s.succeeded(t)
			for _, request := range killed {
				s.killedAt(t, proxy, "up", request)
				for name, uid := range s.succeeded(t) {
					if before, was := ran[name]; was {
						assert.Equal(t, before, uid, "%s ran again although it had succeeded", name)
					}
					ran[name] = uid
				}
			}
			s.up(t)
			s.requireOnce(t, ran, "shop-first", "shop-second", "shop-third", "shop-fourth")
			s.kube.gone(t, "v1/ServiceAccount/"+s.space+"/shop-hooks")
			s.previewEmpty(t)
			s.destroy(t)
			assert.Empty(t, s.export(t).resources)
		})
	}
}
